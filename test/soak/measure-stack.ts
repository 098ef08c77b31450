import { connectTemporal } from '../../src/temporal/connection.ts';
import { readMetrics, valueOf } from '../stack/metrics.ts';
import type { TestStack } from '../stack/test-stack.ts';

/** How a stack is at one moment. */
export interface Measured {
  readonly apiMb: number;
  readonly workerMb: number;
  /** Events of the longest history of a running workflow. */
  readonly longestHistory: number;
  /** Age of the last followed block. */
  readonly lagSeconds: number;
  /** What should have ended a minute ago. */
  readonly delinquent: number;
}

export async function measureStack(stack: TestStack): Promise<Measured> {
  const [api, worker] = await Promise.all([
    readMetrics(stack.metricsUrl('api')),
    readMetrics(stack.metricsUrl('worker')),
  ]);
  const megabytes = (text: string) => Math.round((valueOf(text, 'process_resident_memory_bytes') ?? 0) / 2 ** 20);
  return {
    apiMb: megabytes(api),
    workerMb: megabytes(worker),
    longestHistory: await longestHistory(stack),
    lagSeconds: Math.round(valueOf(worker, 'ledger_follower_lag_seconds') ?? -1),
    delinquent: await countDelinquent(stack),
  };
}

async function longestHistory({ temporal }: TestStack): Promise<number> {
  const client = connectTemporal({ ...temporal, taskQueue: 'none' });
  try {
    let longest = 0;
    for await (const { workflowId } of client.workflow.list({ query: "ExecutionStatus = 'Running'" }))
      longest = Math.max(longest, (await client.workflow.getHandle(workflowId).describe()).historyLength);
    return longest;
  } finally {
    await client.connection.close();
  }
}

/** Windows and phases that ended more than a minute ago and are still open, and transactions that can no longer land. */
async function countDelinquent({ sql }: TestStack): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    `with clock as (select clock_timestamp() + make_interval(secs => offset_ms / 1000.0) - interval '1 minute' as past
        from clock_offset)
      select ((select count(*) from windows, clock where status in ('PENDING', 'ACTIVE') and ends_at < past)
        + (select count(*) from proposals, clock where status = 'ACTIVE' and voting_ends_at < past)
        + (select count(*) from chain_transactions, clock where state in ('awaiting_signatures', 'pending', 'submitted')
          and expires_at < past))::int as count`,
  );
  return rows[0]?.count ?? 0;
}
