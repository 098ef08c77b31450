import { connectTemporal } from '../../src/temporal/connection.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';

/** A workflow that is retried so often does not recover by itself. */
const STUCK_AFTER_ATTEMPTS = 5;
/** Temporal's number of the state of an activity that runs. */
const STARTED = 2;

/** What must be empty when everything is at rest, each with the rows that break it. */
const empty: Readonly<Record<string, string>> = {
  'transactions that are neither final nor ended': `select kind, state, hash from chain_transactions
    where state not in ('final', 'expired', 'failed')`,
  'messages to workflows that were not sent': 'select workflow_id from workflow_notices where sent_at is null',
  'events without a number': 'select type from outbox where seq is null',
  'gaps in the numbers of events': `select seq from (select seq, row_number() over (order by seq) as place from outbox) numbered
    where seq <> place`,
  'consequences in quarantine': 'select error from quarantine',
  'outputs that transactions have leased that can never land': `select tx_hash from utxo_leases lease
    join chain_transactions holder on holder.id = lease.transaction_id where holder.state in ('expired', 'failed')`,
  'outputs that two transactions on the ledger spend': `select input ->> 'txHash' as hash
    from chain_transactions, jsonb_array_elements(inputs) input where state in ('confirmed', 'final')
    group by input ->> 'txHash', input ->> 'index' having count(*) > 1`,
};

/** What is wrong once a stack is at rest; nothing if all is well. */
export async function inconsistencies(stack: TestStack): Promise<string[]> {
  await settleDown(stack);
  const found = await Promise.all(
    Object.entries(empty).map(async ([name, query]) => {
      const { rows } = await stack.sql.query<object>(query);
      return rows.length === 0 ? [] : [`${name}: ${JSON.stringify(rows.slice(0, 3))}`];
    }),
  );
  return [...found.flat(), ...(await absentFromLedger(stack)), ...(await staysStuck(stack))];
}

/** What still waits for another try some seconds later: the pause between two tries is shorter. */
async function staysStuck(stack: TestStack): Promise<string[]> {
  let stuck: string[] = [];
  const isFree = async () => (stuck = await stuckWorkflows(stack)).length === 0;
  await until(isFree, { what: 'every workflow to go on', deadlineMs: 30_000 }).catch(() => undefined);
  return stuck;
}

/** Waits until the first three are empty; what is left then is wrong. */
async function settleDown({ sql }: TestStack): Promise<void> {
  const queries = Object.values(empty).slice(0, 3);
  const isQuiet = async () => {
    const results = await Promise.all(queries.map((query) => sql.query(query)));
    return results.every(({ rows }) => rows.length === 0);
  };
  await until(isQuiet, { what: 'the stack to be at rest', deadlineMs: 120_000 }).catch(() => undefined);
}

/** Final transactions that the ledger does not have in the block that is recorded. */
async function absentFromLedger({ sql, ledger }: TestStack): Promise<string[]> {
  const { rows } = await sql.query<{ hash: string; kind: string; block: string }>(
    `select hash, kind, block_hash as block from chain_transactions where state = 'final' and unsigned_cbor <> ''`,
  );
  const problems: string[] = [];
  for (const { hash, kind, block } of rows) {
    const found = await ledger.query<{ block: string }>(`/txs/${hash}`);
    if (found?.block !== block) problems.push(`${kind} ${hash} is final in ${block}, on the ledger in ${found?.block}`);
  }
  return problems;
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
