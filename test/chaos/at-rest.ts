import { expect } from '@jest/globals';
import { connectTemporal } from '../../src/platform/temporal/connection.ts';
import { reconcile } from '../books/run-program.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';

/** A workflow that is retried so often does not recover by itself. */
const STUCK_AFTER_ATTEMPTS = 5;
/** Temporal's number of the state of an activity that runs. */
const STARTED = 2;

/** What comes to an end by itself within some blocks, each with the rows that have not. */
const underWay: Readonly<Record<string, string>> = {
  'transactions that are neither final nor ended': `select kind, state, hash from chain_transactions
    where state not in ('final', 'expired', 'failed')`,
  'messages to workflows that were not sent': 'select workflow_id from workflow_notices where sent_at is null',
  'events without a number': 'select type from outbox where seq is null',
};

/** What must be empty besides, of what a reconciliation does not compare. */
const wrong: Readonly<Record<string, string>> = {
  'gaps in the numbers of events': `select seq from (select seq, row_number() over (order by seq) as place from outbox) numbered
    where seq <> place`,
  'effects in quarantine': 'select error from quarantine',
};

/**
 * Waits until a stack is at rest; fails unless its books are those of the ledger, nothing was lost on the way, and every workflow goes
 * on.
 */
export async function expectAtRest(stack: TestStack): Promise<void> {
  const isQuiet = async () => (await rowsOf(stack, underWay)).length === 0;
  await until(isQuiet, { what: 'the stack to be at rest', deadlineMs: 120_000 }).catch(() => undefined);
  expect(await rowsOf(stack, { ...underWay, ...wrong })).toEqual([]);
  expect(await absentAnchors(stack)).toEqual([]);
  expect(await staysStuck(stack)).toEqual([]);
  expect(await reconcile(stack)).toEqual({ code: 0, stdout: expect.stringContaining(' vaults, 0 differences ') });
}

async function rowsOf({ sql }: TestStack, queries: Readonly<Record<string, string>>): Promise<string[]> {
  const found = await Promise.all(
    Object.entries(queries).map(async ([name, query]) => {
      const { rows } = await sql.query<object>(query);
      return rows.length === 0 ? [] : [`${name}: ${JSON.stringify(rows.slice(0, 3))}`];
    }),
  );
  return found.flat();
}

/** Final transactions of no vault that the ledger does not have in their block: a reconciliation goes from vault to vault. */
async function absentAnchors({ sql, ledger }: TestStack): Promise<string[]> {
  const rows = await sql.run<{ hash: string; kind: string; block: string }>`select hash, kind, block_hash as block
      from chain_transactions where state = 'final' and vault_id is null
      and unsigned_cbor <> ''`;
  const problems: string[] = [];
  for (const { hash, kind, block } of rows) {
    const found = await ledger.query<{ block: string }>(`/txs/${hash}`);
    if (found?.block !== block) problems.push(`${kind} ${hash} is final in ${block}, on the ledger in ${found?.block}`);
  }
  return problems;
}

/** What still waits for another try some seconds later: the pause between two tries is shorter. */
async function staysStuck(stack: TestStack): Promise<string[]> {
  let stuck: string[] = [];
  const isFree = async () => (stuck = await stuckWorkflows(stack)).length === 0;
  await until(isFree, { what: 'every workflow to go on', deadlineMs: 30_000 }).catch(() => undefined);
  return stuck;
}

/** Workflows whose task or activity has failed again and again, and still does not run. */
async function stuckWorkflows({ temporal }: TestStack): Promise<string[]> {
  const client = connectTemporal({ ...temporal, taskQueue: 'none' });
  try {
    const problems: string[] = [];
    for await (const { workflowId } of client.workflow.list({ query: "ExecutionStatus = 'Running'" })) {
      const { raw } = await client.workflow.getHandle(workflowId).describe();
      const waiting = (raw.pendingActivities ?? []).filter(({ state }) => Number(state) !== STARTED);
      const attempts = [raw.pendingWorkflowTask, ...waiting].map((pending) => pending?.attempt ?? 0);
      if (attempts.some((attempt) => attempt > STUCK_AFTER_ATTEMPTS)) problems.push(`workflow ${workflowId} is stuck`);
    }
    return problems;
  } finally {
    await client.connection.close();
  }
}
