import { contribute, fundWallet, person, waitForTransaction } from '../test/vault-lifecycle/participants.ts';
import { advanceToBefore, createVault, readVault } from '../test/vault-lifecycle/vault-requests.ts';
import { until } from '../test/stack/until.ts';
import { checkPayments } from '../test/vault-lifecycle/check-payments.ts';
import { seedInvestments } from '../test/vault-lifecycle/seed-investments.ts';
import { machine, machineLoad } from './machine.ts';
import { type BenchStack, benchStack } from './stack.ts';
import { postgresCpu } from './postgres-cpu.ts';
import { settle } from './settle.ts';
import { vitals } from './vitals.ts';

type Print = (line: string) => void;

/** The vault of the test wallet that contributes. */
const OWNER = 7;
/** Before its windows end. */
const REST_SECONDS = 20;

/**
 * Settles vaults of these numbers of investors, one after the other, each on a stack of its own; throws unless every payment is exact
 * on the ledger. Deposits are laid on the ledger and into Postgres directly; from the end of the windows on all is as always.
 */
export async function crowd(print: Print, ...counts: string[]): Promise<void> {
  print(machine());
  for (const count of counts.length === 0 ? ['500', '2000'] : counts) await settleCrowd(print, Number(count));
}

async function settleCrowd(print: Print, count: number): Promise<void> {
  await using stack = await benchStack();
  const seeding = performance.now();
  const vaultId = await vaultOf(stack, count);
  print(`${count} investors: laid on the ledger in ${seconds(seeding)} s`);
  const before = await work(stack);
  const run = await settle(stack, vaultId);
  const after = await work(stack);
  const { batches, bytes } = await deliveries(stack, vaultId);
  print(
    `${count} investors: ${run.seconds.toFixed(1)} s from the end of the windows until LOCKED (planned after ${run.planned.toFixed(1)} s, ` +
      `minted after ${run.minted.toFixed(1)} s); ${batches} deliveries of ${bytes} bytes in the median; ${machineLoad()}`,
  );
  const each = (amount: number) => Math.round(amount / batches);
  print(
    `worker: ${(after.cpu - before.cpu).toFixed(1)} s of CPU, Postgres ${(after.postgres - before.postgres).toFixed(1)} s; ${run.rssMb.toFixed(0)} MB resident at most, ${before.rssMb.toFixed(0)} MB before; ` +
      `for each delivery ${each(after.transactions - before.transactions)} transactions of Postgres, ` +
      `${each(after.rows - before.rows)} rows read`,
  );
  const checking = performance.now();
  const paid = await checkPayments(stack, vaultId, [person(OWNER).address]);
  print(`${count} investors: ${paid} entitlements exact on the ledger, checked in ${seconds(checking)} s`);
}

const seconds = (since: number) => ((performance.now() - since) / 1000).toFixed(1);

/** A vault with one asset and so many investments, shortly before its windows end. */
async function vaultOf(stack: BenchStack, count: number): Promise<string> {
  const owner = person(OWNER);
  const name = `Crowd ${count}`;
  const policyId = await fundWallet(stack, owner, { ada: 100, assets: { [name]: 1 } });
  await stack.ledger.setPrice({ policyId, lovelace: String(BigInt(count) * 8_000_000n) });
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
async function work(stack: BenchStack) {
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

async function deliveries({ sql }: BenchStack, vaultId: string): Promise<{ batches: number; bytes: number }> {
  const { rows } = await sql.query<{ batches: number; bytes: number }>(
    `select count(*)::int as batches, (percentile_disc(0.5) within group (order by length(signed_cbor) / 2))::int as bytes
     from chain_transactions where vault_id = $1 and kind = 'deliver'`,
    [vaultId],
  );
  return rows[0] ?? { batches: 0, bytes: 0 };
}
