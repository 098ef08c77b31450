import { expect } from '@jest/globals';
import { waitUntilAllConfirmed } from '../anchoring/anchor-proof.ts';
import type { Answer } from '../stack/api-client.ts';
import { holdLock } from '../stack/hold-locks.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';

export const killMoments = ['before its commit', 'after its commit'] as const;
type KillMoment = (typeof killMoments)[number];

/**
 * Kills the api while it handles requests, either where it needs `lock` or after its commit, and restarts it once Postgres has committed
 * or rolled back. Returns the answers; null means that no answer arrived.
 */
export async function killApi<Body>(
  stack: TestStack,
  moment: KillMoment,
  ask: () => readonly Promise<Answer<Body>>[],
  isCommitted: () => Promise<boolean>,
  lock = 'select 1 from anchor_chains for update',
): Promise<(Answer<Body> | null)[]> {
  const answersOrNull = (answers: readonly Promise<Answer<Body>>[]) =>
    Promise.all(answers.map((answer) => answer.catch(() => null)));
  const answers = await killDuring(
    stack,
    moment === 'before its commit' ? lock : null,
    () => answersOrNull(ask()),
    isCommitted,
  );
  await holdLock(stack, lock).then((released) => released[Symbol.asyncDispose]());
  await stack.restart('api');
  return answers;
}

async function killDuring<Answers>(
  stack: TestStack,
  lock: string | null,
  ask: () => Promise<Answers>,
  isCommitted: () => Promise<boolean>,
): Promise<Answers> {
  if (lock === null) {
    const answers = ask();
    await until(isCommitted, { what: 'the commit' });
    await stack.kill('api');
    return answers;
  }
  await using gate = await holdLock(stack, lock);
  const answers = ask();
  await gate.reached();
  await stack.kill('api');
  return await answers;
}

/** Ledger faults that delay each answer, so that a worker can be killed while it submits. */
export const slowLedger = { delayMs: 400 };
/** As `slowLedger`, but the ledger also refuses every submission, so that a transaction stays unsent however long the test takes. */
export const slowRefusingLedger = { ...slowLedger, submit429: 1_000_000 };

/** Waits until every recorded event has its sequence number. */
export async function waitUntilAllNumbered({ sql }: Pick<TestStack, 'sql'>): Promise<void> {
  const isNumbered = async () => (await sql.run`select 1 from outbox where seq is null limit 1`).length === 0;
  await until(isNumbered, { what: 'every event to be numbered' });
}

export async function countRows({ sql }: TestStack, query: string, parameters: readonly string[]): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(`select count(*)::int as count from ${query}`, [...parameters]);
  return rows[0]?.count ?? 0;
}

/** Expects every anchor transaction of a batch to be on the ledger exactly once. */
export async function expectEachAnchorOnce(stack: TestStack): Promise<void> {
  await waitUntilAllConfirmed(stack);
  const rows = await stack.sql.run<{ hash: string }>`select t.hash
      from anchor_batches b join chain_transactions t on t.id = b.transaction_id order by hash`;
  const listed = await stack.ledger.query<{ tx_hash: string }[]>('/metadata/txs/labels/868483?count=100');
  expect((listed ?? []).map(({ tx_hash: hash }) => hash).sort()).toEqual(rows.map(({ hash }) => hash));
}
