import { expect, test } from '@jest/globals';
import { instant, secondsAfter, wallClock } from '../../src/platform/units/time.ts';
import { lovelace } from '../../src/platform/units/money.ts';
import { createOperatorBudget, type Purpose } from '../../src/signing-policy/operator-budget.ts';
import { nextRefund } from '../../src/settlement/payments.ts';
import { prepareMint } from '../../src/settlement/mint.ts';
import { submitTransaction } from '../../src/transactions/submit-transaction.ts';
import { failVault } from '../../src/vaults/end-vault.ts';
import { prepareCreation } from '../../src/vaults/create-vault.ts';
import { findTransaction } from '../../src/transactions/queries/transactions.ts';
import type { Prepared } from '../../src/platform/temporal/activity-types.ts';
import { workerContextOf } from '../follower/double-spend.ts';
import { followerOf } from '../follower/follower-service.ts';
import { newVault, sentDeposit } from '../follower/sent-deposit.ts';
import { type ApiService, apiService, newWallet } from './api-service.ts';

const DAY_MS = 86_400_000;
/** After the deadlines of all settlements. */
const DEADLINE_SECONDS = (200 * DAY_MS) / 1000;
const REASON =
  "The operator has spent today's budget for transactions of this kind. Payments resume at midnight (UTC).";
const BOUND = lovelace(14_000_000n);

/** A worker with a small budget and a clock of its own for it. */
function workerOf(service: ApiService, bound = BOUND) {
  const alarms: Purpose[] = [];
  const clock = { passedMs: 0 };
  const operatorBudget = createOperatorBudget({
    clock: { now: () => instant(wallClock.now() + clock.passedMs) },
    bound,
    onSpent: (purpose) => alarms.push(purpose),
  });
  const context = { ...workerContextOf(service), operatorBudget };
  const find = async (prepared: Prepared | null) => {
    const found = prepared && (await findTransaction(service.db, prepared.transactionId));
    if (!found) throw new Error('nothing was prepared');
    return found;
  };
  return {
    context,
    alarms,
    passDay: () => (clock.passedMs += DAY_MS),
    find,
    /** Sends a transaction; returns what became of it. */
    async send(prepared: Prepared | null) {
      const sent = await submitTransaction(context, await find(prepared), wallClock.now());
      const { state, error, signedCbor } = await find(prepared);
      return { sent, state, error, isSigned: signedCbor !== null };
    },
  };
}

async function operatorHas(service: ApiService): Promise<bigint> {
  const { ledger } = followerOf(service).context;
  const utxos = await ledger.utxos(service.keys.operator.address);
  return utxos.reduce((sum, utxo) => sum + utxo.lovelace, 0n);
}

const leases = async ({ sql }: ApiService, { transactionId }: Prepared) =>
  (await sql.run`select 1 from utxo_leases where transaction_id = ${transactionId}`).length;

/** The recorded transaction of a kind. */
async function recordedOf({ sql }: ApiService, kind: string, vaultId: string | null): Promise<Prepared> {
  const [row] = await sql.run<{ id: string }>`select id from chain_transactions
      where kind = ${kind} and vault_id is not distinct from ${vaultId}`;
  if (!row) throw new Error(`no ${kind} is recorded`);
  return { transactionId: row.id };
}

test('rows of many vaults cost the operator no more than its bound of the day, while deposits go back to their owners, and the next day continues', async () => {
  await using service = await apiService();
  const owner = await service.fundedWallet({ Barge: '1' });
  const failing = await newVault(service);
  await sentDeposit(service, failing, owner, 'Barge');
  const rows: { vaultId: string; creation: Prepared }[] = [];
  for (let made = 0; made < 7; made += 1) {
    const vaultId = await newVault(service);
    rows.push({ vaultId, creation: await recordedOf(service, 'create_vault', vaultId) });
  }
  await service.ledger.mine();
  const follower = followerOf(service);
  await follower.catchUp();
  const worker = workerOf(service);
  const before = await operatorHas(service);

  const created = [];
  for (const { creation } of rows) created.push(await worker.send(creation));
  const signed = created.filter(({ isSigned }) => isSigned);
  const stopped = created.filter(({ isSigned }) => !isSigned);
  expect(signed.length).toBeGreaterThan(0);
  expect(stopped.length).toBeGreaterThan(1);
  expect(stopped).toEqual(stopped.map(() => ({ sent: 'done', state: 'failed', error: REASON, isSigned: false })));
  expect(worker.alarms).toEqual(['starts']);

  // Nothing is held for what waits, and nothing more is built for it.
  const waiting = rows.at(-1);
  if (!waiting) throw new Error('no vault waits');
  const { vaultId } = waiting;
  expect(await leases(service, waiting.creation)).toBe(0);
  const prepare = () => prepareCreation(worker.context, { vaultId, now: wallClock.now() });
  await expect(prepare()).rejects.toMatchObject({ code: 'OPERATOR_BUDGET_SPENT' });

  // Half of the day is left for vaults that run, and only until it is used as well.
  await service.ledger.mine();
  await follower.catchUp();
  const [first, ...others] = rows;
  const mint = (vault: string) => prepareMint(worker.context, { vaultId: vault, now: wallClock.now() });
  expect(await worker.send(await mint(first?.vaultId ?? ''))).toMatchObject({ sent: 'done', isSigned: true });
  const second = others[0]?.vaultId ?? '';
  expect(await worker.send(await mint(second))).toMatchObject({ state: 'failed', error: REASON, isSigned: false });
  await expect(mint(second)).rejects.toMatchObject({ code: 'OPERATOR_BUDGET_SPENT' });
  expect(worker.alarms).toEqual(['starts', 'others']);

  const deadline = secondsAfter(wallClock.now(), DEADLINE_SECONDS);
  await failVault(worker.context, { vaultId: failing, reason: 'settlement_deadline', now: deadline });
  const next = await nextRefund(worker.context, { vaultId: failing, now: wallClock.now() });
  const refund = next.kind === 'send' ? next : null;
  expect(await worker.send(refund)).toMatchObject({ sent: 'done', state: 'submitted', isSigned: true });
  await service.ledger.mine();
  await follower.catchUp();
  expect(await worker.find(refund)).toMatchObject({ state: 'confirmed' });
  const paid = before - (await operatorHas(service));
  expect(paid).toBeGreaterThan(0n);
  expect(paid).toBeLessThanOrEqual(BOUND);
  expect(worker.context.operatorBudget.today().others).toBe(paid);

  worker.passDay();
  const again = await prepare();
  expect(again?.transactionId).not.toBe(waiting.creation.transactionId);
  expect(await worker.send(again)).toMatchObject({ sent: 'done', state: 'submitted', isSigned: true });
  await service.ledger.mine();
  await follower.catchUp();
  expect(await worker.find(again)).toMatchObject({ state: 'confirmed' });
});

test('an anchor waits for the next day as it is, since others come after it', async () => {
  await using service = await apiService();
  const vaultId = await newVault(service);
  const change = { type: 'CONTRIBUTOR', operation: 'ADD', addresses: [newWallet().address] };
  expect(await service.api.patch(`/vaults/${vaultId}/allowlist`, change)).toMatchObject({ status: 200 });
  const anchor = await recordedOf(service, 'anchor', null);
  await service.ledger.mine();
  await followerOf(service).catchUp();
  const worker = workerOf(service, lovelace(0n));
  const waits = {
    sent: { unclear: REASON, code: 'OPERATOR_BUDGET_SPENT' },
    state: 'pending',
    error: null,
    isSigned: false,
  };
  expect(await worker.send(anchor)).toEqual(waits);
  expect(await worker.send(anchor)).toEqual(waits);
  expect(worker.alarms).toEqual(['anchors']);
  expect(await leases(service, anchor)).toBeGreaterThan(0);

  const other = workerOf(service);
  expect(await other.send(anchor)).toMatchObject({ sent: 'done', state: 'submitted', isSigned: true });
});

test('what was given up while it was judged is not signed any more', async () => {
  await using service = await apiService();
  const vaultId = await newVault(service);
  const creation = await recordedOf(service, 'create_vault', vaultId);
  await service.ledger.mine();
  await followerOf(service).catchUp();
  const worker = workerOf(service);
  const read = await worker.find(creation);
  await service.sql.run`update chain_transactions set state = 'failed' where id = ${read.id}`;
  const ledger = { ...worker.context.ledger, submit: () => Promise.reject(new Error('it is sent')) };
  expect(await submitTransaction({ ...worker.context, ledger }, read, wallClock.now())).toBe('done');
  expect(await worker.find(creation)).toMatchObject({ state: 'failed', signedCbor: null });
});

test('a transaction whose signature Postgres does not store is paid once, however often it is signed', async () => {
  await using service = await apiService();
  const creation = await recordedOf(service, 'create_vault', await newVault(service));
  await service.ledger.mine();
  await followerOf(service).catchUp();
  const worker = workerOf(service);
  // As a Postgres that has no room left: it is read, and not written.
  await service.sql.run`create function refuse() returns trigger language plpgsql as $$
    begin raise exception 'no space left on device' using errcode = 'disk_full'; end $$`;
  await service.sql.run`create trigger full_disk before update
      on chain_transactions for each row execute function refuse()`;
  for (let attempt = 0; attempt < 5; attempt += 1)
    await expect(worker.send(creation)).rejects.toThrow('no space left on device');
  const paid = worker.context.operatorBudget.today().others;
  await service.sql.run`drop trigger full_disk on chain_transactions`;
  expect(await worker.send(creation)).toMatchObject({ sent: 'done', state: 'submitted', isSigned: true });
  expect(worker.context.operatorBudget.today().others).toBe(paid);
  expect(worker.alarms).toEqual([]);
});
