import { beforeAll, expect, test } from '@jest/globals';
import { fundWallet, person, holdings } from '../vault-lifecycle/participants.ts';
import { expectWalletEvents } from '../events/wallet-events.ts';
import { fileStack } from '../stack/file-stack.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { waitForWorkflowDetails } from '../stack/workflow-details.ts';
import {
  waitForProposal,
  execute,
  executeBody,
  freezeAndSign,
  type GovernedVault,
  governedVault,
  passedProposal,
  readProposal,
} from './execution-requests.ts';
import { propose } from './staked-vault.ts';
import { advanceClocks } from '../anchoring/advance-clocks.ts';
import { until } from '../stack/until.ts';
import { readStakeUsage } from './seed-stakes.ts';
import { errorResponse } from '../stack/error-response.ts';

const ADA = 1_000_000;
const DAY = 86_400;

const leasedBy = async ({ sql }: TestStack) => {
  const rows = await sql.run<{ hash: string }>`select distinct t.hash
      from utxo_leases l join chain_transactions t on t.id = l.transaction_id where t.kind = 'execute'`;
  return rows.map(({ hash }) => hash);
};

const stackOfFile = fileStack();
/** The vault whose asset every test tries to sell; only the last one succeeds. */
let governed: GovernedVault;

beforeAll(async () => {
  governed = await governedVault(stackOfFile(), 91);
});

test('an execution that differs from the vote or names an ineligible executor or cosigner is refused, and the worker itself requires every cosigner', async () => {
  const stack = stackOfFile();
  const { vaultId, villa, contributor, investor, partner: buyer } = governed;
  const [small, stranger] = [person(94), person(95)];
  await fundWallet(stack, buyer, { ada: 2000 });
  const { api } = stack;
  const affected_assets = [{ policy_id: villa.policyId, asset_name: 'Villa' }];
  const details = { action_type: 'sell_asset', affected_assets, terms: { buyer_address: buyer.address } };
  const id = await passedProposal(stack, governed, { details });
  const openProposal = await propose(stack, vaultId, contributor.address);

  const sale = (price: number, more: object = {}) => {
    return { type: 'sell_asset', details: { policy_id: villa.policyId, asset_name: 'Villa', price, ...more } };
  };
  const both = [contributor, investor];
  const expectRefused = async (body: object, status: number, code: string, proposalId = id) => {
    expect(await execute({ api }, proposalId, body)).toMatchObject(errorResponse(status, code));
    expect(await api.post(`/proposals/${proposalId}/executions`, body)).toMatchObject(errorResponse(status, code));
  };
  const fair = sale(600 * ADA);
  await expectRefused(
    executeBody(contributor, both, { type: 'liquidate', details: {} }),
    400,
    'EXECUTION_NOT_OPEN',
    openProposal,
  );
  await expectRefused(
    executeBody(contributor, both, { type: 'liquidate', details: {} }),
    400,
    'ACTION_DIFFERS_FROM_APPROVED',
  );
  await expectRefused(
    executeBody(contributor, both, sale(600 * ADA, { buyer_address: stranger.address })),
    400,
    'ACTION_DIFFERS_FROM_APPROVED',
  );
  await expectRefused(executeBody(contributor, both, sale(1 * ADA)), 400, 'PRICE_BELOW_VALUATION');
  await expectRefused(
    executeBody(contributor, both, sale(600 * ADA, { asset_name: 'Castle' })),
    400,
    'ASSET_NOT_IN_VAULT',
  );
  await expectRefused(executeBody(contributor, both, sale(600 * ADA, { quantity: '2' })), 400, 'INVALID_REQUEST');
  await expectRefused(executeBody(contributor, both, sale(5000 * ADA)), 400, 'INSUFFICIENT_FUNDS');
  await expectRefused(executeBody(contributor, [contributor, small], fair), 403, 'COSIGNER_NOT_ELIGIBLE');
  const tooFew = executeBody(contributor, [contributor, contributor], fair);
  expect(await execute({ api }, id, tooFew)).toMatchObject(errorResponse(403, 'INSUFFICIENT_SIGNATURES'));
  expect(await api.post(`/proposals/${id}/executions`, tooFew)).toMatchObject(
    errorResponse(400, 'INVALID_REQUEST', { errors: [{ field: 'cosigners' }] }),
  );
  await expectRefused(executeBody(stranger, both, fair), 403, 'EXECUTOR_NOT_ELIGIBLE');
  await expectRefused({ ...executeBody(stranger, both, fair), executing_user: 'addr1nobody' }, 400, 'INVALID_ADDRESS');
  expect((await readProposal({ api }, id)).execution).toBeNull();

  const replaced = await freezeAndSign({ ...stack, api }, id, executeBody(contributor, both, fair), [contributor]);
  expect(await leasedBy(stack)).toEqual([replaced.hash]);
  await waitForWorkflowDetails(
    stack,
    replaced.hash,
    'Waiting for all required signatures, and then for the execution.',
  );
  const higherPrice = executeBody(contributor, both, sale(700 * ADA));
  expect(await execute({ api }, id, higherPrice)).toMatchObject(errorResponse(400, 'FROZEN_FOR_ANOTHER_ACTION'));
  expect(await api.post(`/proposals/${id}/executions`, executeBody(buyer, both, sale(700 * ADA)))).toMatchObject(
    errorResponse(403, 'EXECUTOR_NOT_ELIGIBLE'),
  );
  expect(await api.post(`/proposals/${id}/executions`, higherPrice)).toMatchObject({
    status: 201,
    body: { data: { status: 'FROZEN', multiSignature: { threshold: 3, signers: [] } } },
  });
  const lateWitness = { witnessSet: investor.sign(replaced.unsigned) };
  const reason = 'replaced by another execution';
  const signedLate = await api.post<{ error: { details: object } }>(
    `/transactions/${replaced.hash}/witnesses`,
    lateWitness,
  );
  expect(signedLate).toMatchObject(errorResponse(400, 'TRANSACTION_EXPIRED'));
  expect(signedLate.body.error.details).toEqual({ reason });
  const { body: expired } = await api.get<{ data: object }>(`/transactions/${replaced.hash}`);
  expect(expired.data).toMatchObject({ status: 'expired', error: reason });
  expect(expired.data).not.toHaveProperty('unsignedTx');
  await waitForWorkflowDetails(stack, replaced.hash, 'It did not reach a block in time.');
  const { hash, unsigned } = await freezeAndSign({ ...stack, api }, id, higherPrice, [contributor, buyer]);
  expect(await leasedBy(stack)).toEqual([hash]);
  const strangerWitness = { witnessSet: stranger.sign(unsigned) };
  expect(await api.post(`/transactions/${hash}/witnesses`, strangerWitness)).toMatchObject(
    errorResponse(400, 'WITNESS_NOT_REQUIRED'),
  );
  expect(
    await api.post(`/transactions/${hash}/witnesses`, { witnessSet: forged(investor.sign(unsigned)) }),
  ).toMatchObject({
    status: 400,
    body: { error: { type: 'VALIDATION_ERROR', code: 'INVALID_SIGNATURE', message: 'Invalid signature' } },
  });
  expect(await execute({ api }, id, higherPrice)).toMatchObject({
    status: 403,
    body: { error: { details: { required: 3, present: 2, missing: 1, missingSigners: [investor.address] } } },
  });

  // Bypasses the check of the service: as if the second cosigner's key were the platform's and everyone had signed.
  await stack.sql.run`with sent as (
       update chain_transactions set state = 'pending', platform_signers = required_signers where hash = ${hash} returning id
     ), marked as (
       update executions set status = 'SENT', executed_by = frozen_by where transaction_id = (select id from sent)
     ), waits as (
       update proposals set execution_sent = true where id = ${id}
     )
     insert into workflow_notices (id, workflow_id, message)
     select gen_random_uuid(), 'tx-' || id, '{"kind":"signal","signal":"witnessed"}' from sent`;
  const refused = await until(
    async () => {
      const proposal = await readProposal({ api }, id);
      return proposal.execution?.status === 'FAILED' && proposal;
    },
    { what: 'the worker to refuse the execution', deadlineMs: 120_000 },
  );
  expect(refused).toMatchObject({ status: 'PASSED', execution: { transaction: { hash, status: 'failed' } } });
  expect(refused.execution?.reason).toMatch('1 of 2 cosigners have signed it');
  expect(await leasedBy(stack)).toEqual([]);
  expect(await stack.sql.query('select status from assets where id = $1', [villa.id])).toMatchObject({
    rows: [{ status: 'LOCKED' }],
  });

  await advanceClocks(stack, 3 * DAY);
  await waitForProposal(stack, id, { status: 'FAILED' });
  await expectRefused(higherPrice, 400, 'EXECUTION_CLOSED');
});

/** The same witness set with a changed signature. */
function forged(witnessSet: string): string {
  return witnessSet.slice(0, -2) + (witnessSet.endsWith('00') ? '01' : '00');
}

/** A frozen sale with all signatures, ready to be sent. */
async function signedSale(stack: TestStack) {
  const { villa, contributor, investor, partner: buyer } = governed;
  await fundWallet(stack, buyer, { ada: 1000 });
  const name = { policy_id: villa.policyId, asset_name: 'Villa' };
  const details = { action_type: 'sell_asset', affected_assets: [name], terms: { price: 600 * ADA } };
  const id = await passedProposal(stack, governed, { details });
  const action = { type: 'sell_asset', details: { ...name, price: 600 * ADA } };
  const body = executeBody(buyer, [contributor, investor], action);
  const { hash } = await freezeAndSign(stack, id, body, [contributor, investor, buyer]);
  return { ...governed, buyer, id, body, hash };
}

const assetStatus = async ({ sql }: TestStack, id: string) => {
  const rows = await sql.run<{ status: string }>`select status from assets where id = ${id}`;
  return rows[0]?.status;
};

async function publishedEvents({ sql }: TestStack, proposalId: string): Promise<string[]> {
  const rows = await sql.run<{ line: string }>`select concat_ws(' ', type, data ->> 'status') as line from outbox
       where data ->> 'proposalId' = ${proposalId} and seq is not null and type like any ('{EXECUTION%,PROPOSAL_STATUS%}') order by seq`;
  return rows.map(({ line }) => line);
}

test('an execution that was sent and was never confirmed fails at the end of its phase and releases all stakes and outputs', async () => {
  const stack = stackOfFile();
  const { id, body, villa, vaultId } = await signedSale(stack);
  await stack.ledger.faults({ drop: 1_000_000 });
  expect(await execute(stack, id, body)).toMatchObject({ status: 200 });
  await waitForProposal(stack, id, { status: 'PASSED', phase: 'execution' });

  await advanceClocks(stack, 3 * DAY);
  expect(await waitForProposal(stack, id, { status: 'FAILED' })).toMatchObject({
    failureReason: 'execution_window_elapsed',
    execution: { status: 'FAILED', transaction: { status: 'expired' } },
  });
  await stack.ledger.faults({});
  expect(await assetStatus(stack, villa.id)).toBe('LOCKED');
  const rows = await stack.sql.run`select 1 from utxo_leases l join chain_transactions t on t.id = l.transaction_id
      where t.kind = 'execute'`;
  expect(rows).toEqual([]);
  await until(async () => Object.values(await readStakeUsage(stack.sql, vaultId)).every(({ used }) => used === 0), {
    what: 'the stakes to be released',
  });
});

test('an execution that is rolled back is undone with events, and is confirmed again with the same bytes', async () => {
  const stack = stackOfFile();
  const { id, body, hash, villa, buyer, vaultId } = await signedSale(stack);
  expect(await execute(stack, id, body)).toMatchObject({ status: 200 });
  await waitForProposal(stack, id, { status: 'EXECUTED' });
  expect(await assetStatus(stack, villa.id)).toBe('RELEASED');

  await stack.ledger.faults({ submit429: 1_000_000 });
  const { block_height: height } = (await stack.ledger.query<{ block_height: number }>(`/txs/${hash}`))!;
  await stack.ledger.rollbackFrom(height);
  const undone = await waitForProposal(stack, id, { status: 'PASSED' });
  expect(undone).toMatchObject({ phase: 'execution', execution: { status: 'SENT' } });
  expect(undone.allowedActions).toContainEqual({ action: 'execute', allowed: false, reason: 'EXECUTION_UNDER_WAY' });
  expect(await assetStatus(stack, villa.id)).toBe('LOCKED');

  await stack.ledger.faults({});
  const again = await waitForProposal(stack, id, { status: 'EXECUTED' });
  expect(again.result).toMatchObject({ transactionHash: hash, executedBy: buyer.address });
  expect(await assetStatus(stack, villa.id)).toBe('RELEASED');
  expect((await holdings(stack, buyer.address)).get(villa.unit)).toBe(1n);
  await until(async () => Object.values(await readStakeUsage(stack.sql, vaultId)).every(({ used }) => used === 0), {
    what: 'the stakes to be released',
  });
  const events = [
    'PROPOSAL_STATUS_CHANGED PASSED',
    'EXECUTION_FROZEN',
    'EXECUTION_SENT',
    'EXECUTION_CONFIRMED',
    'PROPOSAL_STATUS_CHANGED EXECUTED',
    'EXECUTION_ROLLED_BACK',
    'PROPOSAL_STATUS_CHANGED PASSED',
    'EXECUTION_CONFIRMED',
    'PROPOSAL_STATUS_CHANGED EXECUTED',
  ];
  await until(async () => (await publishedEvents(stack, id)).length >= events.length, {
    what: 'the events to be numbered',
  });
  expect(await publishedEvents(stack, id)).toEqual(events);
  const executions = events.filter((line) => line.startsWith('EXECUTION'));
  for (const { address } of [governed.contributor, governed.investor, buyer])
    await expectWalletEvents(
      stack,
      address,
      ({ type, data }) => type.startsWith('EXECUTION') && data['proposalId'] === id,
      executions,
    );
});
