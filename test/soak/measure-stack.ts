import { connectTemporal } from '../../src/platform/temporal/connection.ts';
import { readMetrics, valueOf } from '../stack/metrics.ts';
import type { TestStack } from '../stack/test-stack.ts';

/** How a stack is at one moment. */
export interface Measured {
  readonly apiMb: number;
  readonly workerMb: number;
  /** Events of the longest history of a running workflow. */
  readonly longestHistory: number;
  /** Age of the last followed block. */
  readonly followerLagSeconds: number;
  /** How long ago the first of what is still open should have ended. */
  readonly timerLagSeconds: number;
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
    followerLagSeconds: Math.round(valueOf(worker, 'ledger_follower_lag_seconds') ?? -1),
    timerLagSeconds: await timerLag(stack),
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

/** Of windows and phases that are still open, and of transactions that can no longer be confirmed. */
async function timerLag({ sql }: TestStack): Promise<number> {
  const rows = await sql.run<{ seconds: number }>`
      with clock as (select clock_timestamp() + make_interval(secs => offset_ms / 1000.0) as now from clock_offset),
      due as (select ends_at as at from windows where status in ('PENDING', 'ACTIVE')
        union all select voting_ends_at from proposals where status = 'ACTIVE'
        union all select expires_at from chain_transactions where state in ('awaiting_signatures', 'pending', 'submitted'))
      select coalesce(round(extract(epoch from max(now - at))), 0)::int as seconds from due, clock where at < now`;
  return rows[0]?.seconds ?? 0;
}
