import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';

interface TransactionState {
  readonly hash: string;
  readonly state: string;
}

/** Where in the sending of a transaction the worker is killed. */
export const moments = ['before it was sent', 'after the ledger had it'] as const;
export type Moment = (typeof moments)[number];

/** How the ledger is to answer until the worker has been killed there: it takes nothing, or takes its time. */
export const momentFaults = {
  'before it was sent': { delayMs: 400, submit429: 1_000_000 },
  'after the ledger had it': { delayMs: 400 },
} as const;

/**
 * Kills the worker by SIGKILL when a transaction of this kind is at this point of being sent, and starts it again. `momentFaults` says
 * how the point is kept from passing by; whoever has set it ends it.
 */
export async function killWorkerAt(stack: TestStack, vaultId: string, kind: string, moment: Moment): Promise<void> {
  await killWorkerWhen(stack, `a ${kind} transaction, ${moment}`, moment, () =>
    latestTransaction(stack, vaultId, kind),
  );
}

/** As `killWorkerAt`, for the transaction with this hash. */
export async function killWorkerSending(stack: TestStack, hash: string, moment: Moment): Promise<void> {
  await killWorkerWhen(stack, `transaction ${hash}, ${moment}`, moment, async () => {
    const { rows } = await stack.sql.query<TransactionState>(
      'select hash, state from chain_transactions where hash = $1',
      [hash],
    );
    return rows[0];
  });
}

async function killWorkerWhen(
  stack: TestStack,
  what: string,
  moment: Moment,
  look: () => Promise<TransactionState | undefined>,
): Promise<void> {
  await until(
    async () => {
      const sighting = await look();
      if (!sighting) return false;
      return moment === 'before it was sent' ? sighting.state === 'pending' : await isOnLedger(stack, sighting.hash);
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
  const { rows } = await sql.query<TransactionState>(
    'select hash, state from chain_transactions where vault_id = $1 and kind = $2 order by created_at desc limit 1',
    [vaultId, kind],
  );
  return rows[0];
}

async function isOnLedger({ ledger }: TestStack, hash: string): Promise<boolean> {
  return (await ledger.query(`/mempool/${hash}`)) !== null || (await ledger.query(`/txs/${hash}`)) !== null;
}

/** Every transaction of a vault with how often the ledger has it in its blocks. */
export async function countOnLedger({ sql, ledger }: TestStack, vaultId: string): Promise<Map<string, number>> {
  const { rows } = await sql.query<{ hash: string }>(
    `select hash from chain_transactions where vault_id = $1 and state in ('confirmed', 'final')`,
    [vaultId],
  );
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
