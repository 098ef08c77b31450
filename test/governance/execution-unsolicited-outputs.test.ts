import { expect, test } from '@jest/globals';
import { fundWallet, holdings } from '../vault-lifecycle/participants.ts';
import { advance } from '../vault-lifecycle/vault-requests.ts';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import {
  waitForProposal,
  execute,
  executeBody,
  freezeAndSign,
  governedVault,
  passedProposal,
} from './execution-requests.ts';
import { errorResponse } from './staked-vault.ts';

const ADA = 1_000_000;

interface UnspentOutput {
  readonly tx_hash: string;
  readonly amount: readonly { readonly unit: string; readonly quantity: string }[];
}

/** Outputs in custody that no transaction of the service created. */
async function unsolicitedOutputs({ ledger, sql }: TestStack, custody: string): Promise<UnspentOutput[]> {
  const unspent = (await ledger.query<UnspentOutput[]>(`/addresses/${custody}/utxos`)) ?? [];
  const { rows } = await sql.query<{ hash: string }>('select hash from chain_transactions');
  const ours = new Set(rows.map(({ hash }) => hash));
  return unspent.filter(({ tx_hash: hash }) => !ours.has(hash));
}

test('an execution spends no unsolicited output of custody, neither to pay a price nor beside the asset it sells', async () => {
  await using stack = await testStack();
  const governed = await governedVault(stack, 141);
  const { custody, villa, contributor, investor, partner } = governed;
  const policyId = await fundWallet(stack, partner, { ada: 1000, assets: { Boat: 1 } });
  await stack.ledger.setPrice({ policyId, lovelace: String(90 * ADA) });
  await fundWallet(stack, { ...partner, address: custody }, { ada: 200, assets: { Trinket: 3 } });
  const unsolicited = await unsolicitedOutputs(stack, custody);
  expect(unsolicited).toHaveLength(1);
  const both = [contributor, investor];
  const boat = { policy_id: policyId, asset_name: 'Boat' };
  const terms = { price: 80 * ADA, seller_address: partner.address };
  const purchaseId = await passedProposal(stack, governed, {
    details: { action_type: 'buy_asset', affected_assets: [boat], terms },
  });

  const purchaseBody = executeBody(contributor, both, { type: 'buy_asset', details: { ...boat, price: 80 * ADA } });
  expect(await execute(stack, purchaseId, purchaseBody)).toMatchObject(errorResponse(400, 'INSUFFICIENT_FUNDS'));
  expect(await stack.api.post(`/proposals/${purchaseId}/executions`, purchaseBody)).toMatchObject(
    errorResponse(400, 'INSUFFICIENT_FUNDS'),
  );

  const villaName = { policy_id: villa.policyId, asset_name: 'Villa' };
  const details = {
    action_type: 'sell_asset',
    affected_assets: [villaName],
    terms: { price: 300 * ADA, buyer_address: partner.address },
  };
  const saleId = await passedProposal(stack, governed, { details });
  const saleBody = executeBody(contributor, both, { type: 'sell_asset', details: { ...villaName, price: 300 * ADA } });
  const before = (await holdings(stack, custody)).get('lovelace') ?? 0n;
  await freezeAndSign(stack, saleId, saleBody, [...both, partner]);
  expect(await execute(stack, saleId, saleBody)).toMatchObject({ status: 200 });
  await waitForProposal(stack, saleId, { status: 'EXECUTED' });

  expect((await holdings(stack, partner.address)).get(villa.unit)).toBe(1n);
  expect(((await holdings(stack, custody)).get('lovelace') ?? 0n) - before).toBe(BigInt(300 * ADA));
  expect(await unsolicitedOutputs(stack, custody)).toEqual(unsolicited);
  await advance(stack, 60);
}, 240_000);
