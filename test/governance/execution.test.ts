import { expect, test } from '@jest/globals';
import { connectTemporal } from '../../src/temporal/connection.ts';
import { proposalWorkflowId } from '../../src/temporal/workflow-ids.ts';
import { fundWallet, holdings } from '../vault-lifecycle/participants.ts';
import { advance } from '../vault-lifecycle/vault-requests.ts';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { checkedAgainstContract } from '../vaults/contract-checks.ts';
import {
  waitForProposal,
  execute,
  executeBody,
  freezeAndSign,
  governedVault,
  passedProposal,
  readProposal,
} from './execution-requests.ts';
import { readStakeUsage } from './seed-stakes.ts';

const PRICE = 600_000_000;

test('a sale approved in a seven-day vote is executed: the buyer gets the asset, the vault the price, and the result is readable', async () => {
  await using stack = await testStack();
  const governed = await governedVault(stack, 81);
  const { vaultId, custody, villa, contributor, investor, partner: buyer } = governed;
  await fundWallet(stack, buyer, { ada: 1000 });
  const api = checkedAgainstContract(stack.api);
  const affected_assets = [{ policy_id: villa.policyId, asset_name: 'Villa' }];
  const terms = { price: PRICE, buyer_address: buyer.address };
  const details = { action_type: 'sell_asset', affected_assets, terms };
  const startedAt = performance.now();
  const id = await passedProposal(stack, governed, { details, voting: '168h' });
  await expectShownInTemporal(stack, vaultId, id);
  const before = (await holdings(stack, custody)).get('lovelace') ?? 0n;

  const action = { type: 'sell_asset', details: { policy_id: villa.policyId, asset_name: 'Villa', price: PRICE } };
  const body = executeBody(contributor, [contributor, investor], action);
  const { hash } = await freezeAndSign({ ...stack, api }, id, body, [contributor, investor]);
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
  const executed = await waitForProposal({ ...stack, api }, id, { status: 'EXECUTED' });
  expect(performance.now() - startedAt).toBeLessThan(60_000);
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
  const areReleased = async () =>
    Object.values(await readStakeUsage(stack.sql, vaultId)).every(({ used }) => used === 0);
  await until(areReleased, { what: 'the stakes to be released' });
  await advance(stack, 60);
});

/** Operators can find the proposal's workflow by vault and phase, and read what it waits for and until when. */
async function expectShownInTemporal({ api, temporal }: TestStack, vaultId: string, id: string): Promise<void> {
  const client = connectTemporal({ ...temporal, taskQueue: 'none' });
  const { body } = await api.get<{ data: { executionPhase: { endTime: string } } }>(`/proposals/${id}`);
  const { endTime } = body.data.executionPhase;
  const shifted = (ms: number) => new Date(Date.parse(endTime) + ms).toISOString();
  // Temporal on SQLite stores "….76Z" and compares it as text with "….760Z": an instant that ends in 0 ms is never found by equality.
  const due = `PhaseEndsAt > "${shifted(-1000)}" AND PhaseEndsAt < "${shifted(1000)}"`;
  const query = `WorkflowType = "proposal" AND VaultId = "${vaultId}" AND Phase = "execution" AND ${due}`;
  const found = async () => {
    for await (const { workflowId } of client.workflow.list({ query })) return workflowId;
    return null;
  };
  expect(await until(found, { what: 'the proposal to be found' })).toBe(proposalWorkflowId(id));
  const workflow = client.workflow.getHandle(proposalWorkflowId(id));
  expect(await workflow.query('__temporal_workflow_metadata')).toMatchObject({
    currentDetails: `Passed and ready to be executed.\n\nUntil **${endTime}**.`,
  });
  await client.connection.close();
}
