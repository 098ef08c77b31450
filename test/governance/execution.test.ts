import { expect, test } from '@jest/globals';
import { furnish, holdings } from '../life/people.ts';
import { advance } from '../life/vaults.ts';
import { testStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { checkedAgainstContract } from '../vault/published.ts';
import {
  becomesOf,
  execute,
  executeBody,
  frozenAndSigned,
  governedVault,
  passedProposal,
  readProposal,
} from './executions.ts';
import { usedStakes } from './seeded-stakes.ts';

const PRICE = 600_000_000;

test('a sale that was voted on for seven days is executed: asset with the buyer, price in the vault, result readable', async () => {
  await using stack = await testStack();
  const governed = await governedVault(stack, 81);
  const { vaultId, custody, villa, contributor, investor, partner: buyer } = governed;
  await furnish(stack, buyer, { ada: 1000 });
  const api = checkedAgainstContract(stack.api);
  const affected_assets = [{ policy_id: villa.policyId, asset_name: 'Villa' }];
  const terms = { price: PRICE, buyer_address: buyer.address };
  const details = { action_type: 'sell_asset', affected_assets, terms };
  const id = await passedProposal(stack, governed, { details, voting: '168h' });
  const before = (await holdings(stack, custody)).get('lovelace') ?? 0n;

  const action = { type: 'sell_asset', details: { policy_id: villa.policyId, asset_name: 'Villa', price: PRICE } };
  const body = executeBody(contributor, [contributor, investor], action);
  const { hash } = await frozenAndSigned({ ...stack, api }, id, body, [contributor, investor]);
  expect(await execute({ api }, id, body)).toMatchObject({
    status: 403,
    body: {
      error: {
        type: 'AUTHORIZATION_ERROR',
        code: 'INSUFFICIENT_SIGNATURES',
        message: 'Insufficient signatures',
        details: { required: 3, present: 2, missing: 1, missingSigners: [buyer.address] },
      },
    },
  });
  const frozen = await readProposal({ api }, id);
  expect(frozen.execution).toMatchObject({
    status: 'FROZEN',
    transaction: { hash, status: 'awaiting_signatures' },
    multiSignature: { hash, threshold: 3, signers: [contributor.address, investor.address], missing: [buyer.address] },
  });
  const witnessSet = buyer.sign(frozen.execution?.transaction.unsignedTx ?? '');
  expect(await api.post(`/transactions/${hash}/witnesses`, { witnessSet })).toMatchObject({ status: 200 });

  const answer = await execute({ api }, id, body);
  expect(answer).toMatchObject({
    status: 200,
    body: {
      vault_id: vaultId,
      proposal_id: id,
      transaction: { tx_hash: hash, status: 'pending', block_height: null },
      status: 'executed',
      executed_by: contributor.address,
      cosigners: [contributor.address, investor.address],
      action,
    },
  });
  const executed = await becomesOf({ ...stack, api }, id, { status: 'EXECUTED' });
  expect(executed).toMatchObject({
    phase: 'ended',
    result: { outcome: 'EXECUTED', reason: null, transactionHash: hash, executedBy: contributor.address },
  });
  expect((await holdings(stack, buyer.address)).get(villa.unit)).toBe(1n);
  const after = await holdings(stack, custody);
  expect(after.get(villa.unit)).toBeUndefined();
  expect((after.get('lovelace') ?? 0n) - before).toBe(BigInt(PRICE));
  const { rows } = await stack.sql.query('select status, release_reason from assets where id = $1', [villa.id]);
  expect(rows).toEqual([{ status: 'RELEASED', release_reason: 'sold' }]);
  const free = async () => Object.values(await usedStakes(stack.sql, vaultId)).every(({ used }) => used === 0);
  await until(free, { what: 'the stakes to be free', deadlineMs: 60_000 });
  await advance(stack, 60);
}, 180_000);
