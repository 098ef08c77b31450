import { setTimeout as pause } from 'node:timers/promises';
import type { BenchStack } from './stack.ts';
import { vitals } from './vitals.ts';

const SAMPLE_MS = 500;

/** Steps of a settlement, in their order. */
const steps = ['closed', 'planned', 'minted', 'locked'] as const;
type Step = (typeof steps)[number];

/** Waits until the vault is LOCKED; returns how many seconds after the end of the windows each step was seen. */
export async function settle(stack: BenchStack, vaultId: string) {
  const reached = new Map<Step, number>();
  let rssMb = 0;
  while (!reached.has('locked')) {
    const now = performance.now();
    for (const step of await stepsReached(stack, vaultId)) if (!reached.has(step)) reached.set(step, now);
    rssMb = Math.max(rssMb, await residentMb(stack));
    await pause(SAMPLE_MS);
  }
  const after = (step: Step) => ((reached.get(step) ?? NaN) - (reached.get('closed') ?? NaN)) / 1000;
  return { seconds: after('locked'), planned: after('planned'), minted: after('minted'), rssMb };
}

/** 0 when the worker cannot say it at this moment. */
async function residentMb({ workerMetricsUrl }: BenchStack): Promise<number> {
  try {
    return (await vitals(workerMetricsUrl)).rssMb;
  } catch {
    return 0;
  }
}

async function stepsReached({ sql }: BenchStack, vaultId: string): Promise<Step[]> {
  const { rows } = await sql.query<Record<Step | 'ended', boolean>>(
    `select not exists (select from windows where vault_id = id and closed_at is null) as closed,
       exists (select from settlements where vault_id = id) as planned,
       exists (select from chain_transactions where vault_id = vaults.id and kind = 'deliver') as minted,
       status = 'LOCKED' as locked, status = 'TERMINATED' as ended
     from vaults where id = $1`,
    [vaultId],
  );
  const [row] = rows;
  if (!row || row.ended) throw new Error('the vault failed');
  return steps.filter((step) => row[step]);
}
