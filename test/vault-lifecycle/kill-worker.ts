import { expect } from '@jest/globals';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { person } from './participants.ts';

interface TransactionState {
  readonly hash: string;
  readonly state: string;
}

/** The moments of a submission at which the worker is killed. */
export const moments = ['before submission', 'after acceptance'] as const;
export type Moment = (typeof moments)[number];

/** Ledger faults that keep a moment from passing before the worker is killed. */
export const momentFaults = {
  'before submission': { delayMs: 400, submit429: 1_000_000 },
  'after acceptance': { delayMs: 400 },
} as const;

/**
 * Kills the worker with SIGKILL when the latest transaction of this kind reaches this moment, and starts it again. The caller sets
 * `momentFaults` before the call and clears them afterwards.
 */
export async function killWorkerAt(stack: TestStack, vaultId: string, kind: string, moment: Moment): Promise<void> {
  await killWorkerWhen(stack, `a ${kind} transaction, ${moment}`, moment, () =>
    latestTransaction(stack, vaultId, kind),
  );
}

/** As `killWorkerAt`, for the transaction with this hash. */
export async function killWorkerSending(stack: TestStack, hash: string, moment: Moment): Promise<void> {
  await killWorkerWhen(stack, `transaction ${hash}, ${moment}`, moment, async () => {
    const rows = await stack.sql.run<TransactionState>`select hash, state from chain_transactions
        where hash = ${hash}`;
    return rows[0];
  });
}

async function killWorkerWhen(
  stack: TestStack,
  what: string,
  moment: Moment,
  find: () => Promise<TransactionState | undefined>,
): Promise<void> {
  await until(
    async () => {
      const transaction = await find();
      if (!transaction) return false;
      return moment === 'before submission'
        ? transaction.state === 'pending'
        : await isOnLedger(stack, transaction.hash);
    },
    { what },
  );
  await stack.kill('worker');
  await stack.restart('worker');
}

async function latestTransaction(
  { sql }: TestStack,
  vaultId: string,
  kind: string,
): Promise<TransactionState | undefined> {
  const rows = await sql.run<TransactionState>`select hash, state from chain_transactions
      where vault_id = ${vaultId} and kind = ${kind} order by created_at desc limit 1`;
  return rows[0];
}

async function isOnLedger({ ledger }: TestStack, hash: string): Promise<boolean> {
  return (await ledger.query(`/mempool/${hash}`)) !== null || (await ledger.query(`/txs/${hash}`)) !== null;
}

/** Counts how often each confirmed transaction of a vault is in the blocks of the ledger, by hash. */
export async function countOnLedger({ sql, ledger }: TestStack, vaultId: string): Promise<Map<string, number>> {
  const rows = await sql.run<{ hash: string }>`select hash from chain_transactions
      where vault_id = ${vaultId} and state in ('confirmed', 'final')`;
  const times = new Map(rows.map(({ hash }) => [hash, 0]));
  const tip = await ledger.query<{ height: number }>('/blocks/latest');
  for (let height = 0; height <= (tip?.height ?? 0); height += 1) {
    for (const hash of (await ledger.query<string[]>(`/blocks/${height}/txs`)) ?? []) {
      const before = times.get(hash);
      if (before !== undefined) times.set(hash, before + 1);
    }
  }
  return times;
}

/** Whether each transaction of a vault is on the ledger exactly once. */
export async function expectEachConfirmedOnce(stack: TestStack, vaultId: string): Promise<void> {
  expect(new Set((await countOnLedger(stack, vaultId)).values())).toEqual(new Set([1]));
}

/** The owner, the investor and the NFT of the vault that is tested at this moment. */
export function vaultPartsAt(moment: Moment) {
  const first = 31 + 2 * moments.indexOf(moment);
  return { owner: person(first), investor: person(first + 1), name: `Villa ${first}` };
}
