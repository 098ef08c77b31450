import { expect, test } from '@jest/globals';
import { killWorkerSending, countOnLedger } from '../vault-lifecycle/kill-worker.ts';
import { fundWallet, holdings } from '../vault-lifecycle/participants.ts';
import { testStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import {
  waitForProposal,
  execute,
  type ExecuteAnswer,
  executeBody,
  governedVault,
  passedProposal,
} from './execution-requests.ts';
import {
  waitUntilAllNumbered,
  countRows,
  killApi,
  killMoments,
  slowLedger,
  slowRefusingLedger,
} from './kill-during-commit.ts';
import { readStakeUsage } from './seed-stakes.ts';

const PRICE = 600_000_000;

test('an execution is frozen, sent and on the ledger once although api and worker are killed at each step', async () => {
  await using stack = await testStack({ apiProcess: true });
  const governed = await governedVault(stack, 121);
  const { vaultId, custody, villa, contributor, investor, partner: buyer } = governed;
  await fundWallet(stack, buyer, { ada: 1000 });
  const name = { policy_id: villa.policyId, asset_name: 'Villa' };
  const details = { action_type: 'sell_asset', affected_assets: [name], terms: { price: PRICE } };
  const id = await passedProposal(stack, governed, { details });
  const before = (await holdings(stack, custody)).get('lovelace') ?? 0n;
  const action = { type: 'sell_asset', details: { ...name, price: PRICE } };
  const body = executeBody(buyer, [contributor, investor], action);
  const lock = `select pg_advisory_xact_lock_shared(hashtextextended('proposal:${id}', 0))`;
  const executions = (status: string) =>
    countRows(stack, 'executions where proposal_id = $1 and status = $2', [id, status]);

  for (const [committed, moment] of killMoments.entries()) {
    const frozen = async () => (await executions('FROZEN')) === 1;
    await killApi<ExecuteAnswer>(stack, moment, () => [execute(stack, id, body)], frozen, lock);
    expect(await executions('FROZEN')).toBe(committed);
  }
  const { error } = (await execute(stack, id, body)).body;
  expect(error).toMatchObject({ code: 'INSUFFICIENT_SIGNATURES', details: { required: 3, missing: 3 } });
  const { tx_hash: hash, unsigned_tx: unsigned } = error.details.transaction;

  const signatures = `chain_transactions where hash = $1 and jsonb_array_length(witnesses) = $2::int`;
  for (const [number, signer] of [contributor, investor, buyer].entries()) {
    const sign = () => stack.api.post(`/transactions/${hash}/witnesses`, { witnessSet: signer.sign(unsigned) });
    const signed = async () => (await countRows(stack, signatures, [hash, String(number + 1)])) === 1;
    await killApi(stack, 'after its commit', () => [sign()], signed);
    expect(await sign()).toMatchObject({ status: 200 });
  }

  await stack.kill('worker');
  const options = { headers: { 'idempotency-key': 'execute-once' } };
  const send = () => stack.api.post<ExecuteAnswer>(`/proposals/${id}/execute`, body, options);
  for (const [committed, moment] of killMoments.entries()) {
    await killApi(
      stack,
      moment,
      () => [send()],
      async () => (await executions('SENT')) === 1,
      lock,
    );
    expect(await executions('SENT')).toBe(committed);
  }
  expect(await send()).toMatchObject({ status: 200, body: { status: 'executed', transaction: { tx_hash: hash } } });
  expect(await execute(stack, id, body)).toMatchObject({ body: { error: { code: 'EXECUTION_UNDER_WAY' } } });

  await stack.ledger.faults(slowRefusingLedger);
  await stack.restart('worker');
  await killWorkerSending(stack, hash, 'before submission');
  await stack.ledger.faults(slowLedger);
  await killWorkerSending(stack, hash, 'after acceptance');
  await stack.ledger.faults({});
  const executed = await waitForProposal(stack, id, { status: 'EXECUTED' });
  expect(executed.result).toMatchObject({ transactionHash: hash, executedBy: buyer.address });
  const areReleased = async () =>
    Object.values(await readStakeUsage(stack.sql, vaultId)).every(({ used }) => used === 0);
  await until(areReleased, { what: 'the stakes to be released' });
  expect((await holdings(stack, buyer.address)).get(villa.unit)).toBe(1n);
  expect(((await holdings(stack, custody)).get('lovelace') ?? 0n) - before).toBe(BigInt(PRICE));
  const times = await countOnLedger(stack, vaultId);
  expect(times.get(hash)).toBe(1);
  expect([...times.values()].filter((number) => number > 1)).toEqual([]);
  await waitUntilAllNumbered(stack);
  const rows = await stack.sql.run<{ line: string }>`select concat_ws(' ', type, data ->> 'status') as line from outbox
      where data ->> 'proposalId' = ${id} and type like any ('{EXECUTION%,PROPOSAL_STATUS%}') order by seq`;
  expect(rows.map(({ line }) => line)).toEqual([
    'PROPOSAL_STATUS_CHANGED PASSED',
    'EXECUTION_FROZEN',
    'EXECUTION_SENT',
    'EXECUTION_CONFIRMED',
    'PROPOSAL_STATUS_CHANGED EXECUTED',
  ]);
});
