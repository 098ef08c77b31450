import { expect, test } from '@jest/globals';
import { readCborTree } from '../../src/cardano/cbor/item-tree.ts';
import { readWitnessSet } from '../../src/cardano/keys/witnesses.ts';
import { connectTemporal } from '../../src/platform/temporal/connection.ts';
import { proposalWorkflowId } from '../../src/platform/temporal/workflow-ids.ts';
import { fundWallet, holdings, person } from '../vault-lifecycle/participants.ts';
import { advance } from '../vault-lifecycle/vault-requests.ts';
import { fileStack } from '../stack/file-stack.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import {
  waitForProposal,
  execute,
  executeBody,
  freezeAndSign,
  governedVault,
  passedProposal,
  readProposal,
} from './execution-requests.ts';
import { readStakeUsage, seedStakes } from './seed-stakes.ts';
import { stakeOnLedger } from './stake-on-ledger.ts';
import { sendAllToSelf } from '../vault-lifecycle/direct-submission.ts';
import { errorResponse } from '../stack/error-response.ts';

const PRICE = 600_000_000;
const ADA = 1_000_000;

const stackOfFile = fileStack();

test('a sale approved in a seven-day vote is executed: the buyer gets the asset, the vault the price, and the result is readable', async () => {
  const stack = stackOfFile();
  const governed = await governedVault(stack, 81);
  const { vaultId, custody, villa, contributor, investor, partner: buyer } = governed;
  const third = person(85);
  await seedStakes(stack.sql, vaultId, [{ wallet: third.address, tokens: 100_000 }], new Date());
  await stakeOnLedger(stack, vaultId, [third], contributor);
  await fundWallet(stack, buyer, { ada: 1000 });
  const { api } = stack;
  const affected_assets = [{ policy_id: villa.policyId, asset_name: 'Villa' }];
  const terms = { price: PRICE, buyer_address: buyer.address };
  const details = { action_type: 'sell_asset', affected_assets, terms };
  const id = await passedProposal(stack, governed, { details, voting: '168h' });
  await expectShownInTemporal(stack, vaultId, id);
  const before = (await holdings(stack, custody)).get('lovelace') ?? 0n;

  const action = { type: 'sell_asset', details: { policy_id: villa.policyId, asset_name: 'Villa', price: PRICE } };
  const cosigners = [contributor, investor, third];
  const body = executeBody(contributor, cosigners, action);
  const { hash } = await freezeAndSign({ ...stack, api }, id, body, [contributor, buyer]);
  expect(await execute({ api }, id, body)).toMatchObject({
    status: 403,
    body: {
      error: {
        type: 'AUTHORIZATION_ERROR',
        code: 'INSUFFICIENT_SIGNATURES',
        message: 'Insufficient signatures',
        details: { required: 3, present: 2, missing: 1, missingSigners: [investor.address, third.address] },
      },
    },
  });
  const frozen = await readProposal({ api }, id);
  expect(frozen.execution).toMatchObject({
    status: 'FROZEN',
    transaction: { hash, status: 'awaiting_signatures' },
    multiSignature: { hash, threshold: 3, required: 3, present: 2, missing: 1 },
  });
  const witnessSet = third.sign(frozen.execution?.transaction.unsignedTx ?? '');
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
      cosigners: cosigners.map(({ address }) => address),
      action,
    },
  });
  const executed = await waitForProposal({ ...stack, api }, id, { status: 'EXECUTED' });
  expect(executed).toMatchObject({
    phase: 'ended',
    result: {
      outcome: 'EXECUTED',
      reason: null,
      transactionHash: hash,
      executedBy: contributor.address,
      cosigners: [contributor.address, third.address],
    },
  });
  const signed = executed.execution?.multiSignature.keys.filter(({ hasSigned }) => hasSigned) ?? [];
  expect(signed.map(({ wallet }) => wallet)).toEqual(
    expect.arrayContaining([null, buyer.address, contributor.address, third.address]),
  );
  expect(signed.filter(({ isPlatform }) => isPlatform)).toHaveLength(1);
  expect(await signersOnLedger(stack, hash)).toEqual(signed.map(({ keyHash }) => keyHash).toSorted());
  expect((await holdings(stack, buyer.address)).get(villa.unit)).toBe(1n);
  const after = await holdings(stack, custody);
  expect(after.get(villa.unit)).toBeUndefined();
  expect((after.get('lovelace') ?? 0n) - before).toBe(BigInt(PRICE));
  const rows = await stack.sql.run`select status, release_reason from assets where id = ${villa.id}`;
  expect(rows).toEqual([{ status: 'RELEASED', release_reason: 'sold' }]);
  const areReleased = async () =>
    Object.values(await readStakeUsage(stack.sql, vaultId)).every(({ used }) => used === 0);
  await until(areReleased, { what: 'the stakes to be released' });
  await advance(stack, 60);
});

/** Hashes of the keys that signed a transaction in a block. */
async function signersOnLedger({ ledger }: TestStack, hash: string): Promise<string[]> {
  const found = await ledger.query<{ cbor: string }>(`/txs/${hash}/cbor`);
  const [, witnessSet] = readCborTree(found?.cbor ?? '').items;
  return readWitnessSet(Buffer.from(witnessSet?.encoded ?? []).toString('hex'))
    .map(({ keyHash }) => keyHash)
    .toSorted();
}

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
    currentDetails: `Passed and ready to be executed. Waiting for an execution.\n\nUntil **${endTime}**.`,
  });
  await client.connection.close();
}

test('a sale whose buyer spends the ADA they signed for fails with that reason, and the next attempt sells the asset', async () => {
  const stack = stackOfFile();
  const governed = await governedVault(stack, 131);
  const { villa, custody, contributor, investor, partner: buyer } = governed;
  await fundWallet(stack, buyer, { ada: 2000 });
  const name = { policy_id: villa.policyId, asset_name: 'Villa' };
  const terms = { price: PRICE, buyer_address: buyer.address };
  const details = { action_type: 'sell_asset', affected_assets: [name], terms };
  const body = executeBody(buyer, [contributor, investor], { type: 'sell_asset', details: { ...name, price: PRICE } });
  const signers = [contributor, investor, buyer];

  const id = await passedProposal(stack, governed, { details });
  const { hash: lost } = await freezeAndSign(stack, id, body, signers);
  const spendingHash = await sendAllToSelf(stack, buyer);
  await until(() => stack.ledger.query(`/txs/${spendingHash}`), { what: 'the ADA to be spent' });
  expect(await execute(stack, id, body)).toMatchObject({ status: 200 });
  const hasFailed = async () => {
    const { execution } = await readProposal(stack, id);
    return execution?.transaction.hash === lost && execution.status === 'FAILED';
  };
  await until(hasFailed, { what: 'the execution to fail' });
  const passed = await readProposal(stack, id);
  expect(passed).toMatchObject({ status: 'PASSED', phase: 'execution', failureReason: null });
  expect(passed.execution?.reason).toMatch(/input [0-9a-f]{64}#\d+ was spent by another transaction/);
  expect(passed.allowedActions).toContainEqual(expect.objectContaining({ action: 'execute', allowed: true }));

  const before = (await holdings(stack, custody)).get('lovelace') ?? 0n;
  const { hash } = await freezeAndSign(stack, id, body, signers);
  expect(await execute(stack, id, body)).toMatchObject({ status: 200 });
  const executed = await waitForProposal(stack, id, { status: 'EXECUTED' });
  expect(executed.result).toMatchObject({ outcome: 'EXECUTED', transactionHash: hash });
  expect((await holdings(stack, buyer.address)).get(villa.unit)).toBe(1n);
  expect(((await holdings(stack, custody)).get('lovelace') ?? 0n) - before).toBe(BigInt(PRICE));
});

interface UnspentOutput {
  readonly tx_hash: string;
  readonly amount: readonly { readonly unit: string; readonly quantity: string }[];
}

/** Outputs in custody that no transaction of the service created. */
async function unsolicitedOutputs({ ledger, sql }: TestStack, custody: string): Promise<UnspentOutput[]> {
  const unspent = (await ledger.query<UnspentOutput[]>(`/addresses/${custody}/utxos`)) ?? [];
  const rows = await sql.run<{ hash: string }>`select hash from chain_transactions`;
  const ours = new Set(rows.map(({ hash }) => hash));
  return unspent.filter(({ tx_hash: hash }) => !ours.has(hash));
}

test('an execution spends no unsolicited output of custody, neither to pay a price nor beside the asset it sells', async () => {
  const stack = stackOfFile();
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
});
