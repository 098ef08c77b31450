import { contribute, fundWallet, person, waitForTransaction } from '../test/vault-lifecycle/participants.ts';
import { seedInvestments } from '../test/vault-lifecycle/seed-investments.ts';
import { advanceToBefore, createVault, readVault } from '../test/vault-lifecycle/vault-requests.ts';
import { until } from '../test/stack/until.ts';
import { postgresCpu } from './postgres-cpu.ts';
import type { BenchStack } from './stack.ts';
import { vitals } from './vitals.ts';

/** Who contributes the asset of a crowd's vault. */
export const owner = person(7);
/** Before its windows end. */
const REST_SECONDS = 20;

/** A vault with one asset of this value and so many investments of 5 to 6 ADA, of which at least one window has ended. */
export async function crowdVault(stack: BenchStack, count: number, lovelace: bigint): Promise<string> {
  const name = `Crowd ${count}`;
  const policyId = await fundWallet(stack, owner, { ada: 100, assets: { [name]: 1 } });
  await stack.ledger.setPrice({ policyId, lovelace: String(lovelace) });
  const vaultId = await createVault(stack, owner.address);
  const { hash } = await contribute(stack, vaultId, owner, { policyId, name });
  await waitForTransaction(stack, hash, ['final']);
  await seedInvestments(stack, vaultId, count);
  const { investmentWindow } = await readVault(stack, vaultId);
  await advanceToBefore(stack, REST_SECONDS, investmentWindow.endTime);
  await until(
    () => stack.sql.query("select from windows where status = 'ACTIVE'").then(({ rows }) => rows.length < 2),
    {
      what: 'a window to end',
    },
  );
  return vaultId;
}

/** What the worker and Postgres have done so far. */
export async function work(stack: BenchStack) {
  const { sql, workerMetricsUrl } = stack;
  const { rows } = await sql.query<{ transactions: string; rows: string }>(
    `select xact_commit as transactions, (select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)) from pg_stat_user_tables)
       as rows from pg_stat_database where datname = current_database()`,
  );
  const { rssMb, cpuSeconds: cpu } = await vitals(workerMetricsUrl);
  return {
    rssMb,
    cpu,
    postgres: await postgresCpu(stack),
    transactions: Number(rows[0]?.transactions),
    rows: Number(rows[0]?.rows),
  };
}
