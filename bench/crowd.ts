import { checkPayments } from '../test/vault-lifecycle/check-payments.ts';
import { refundCrowd } from './crowd-refunds.ts';
import { crowdVault, owner, work } from './crowd-vault.ts';
import { machine, machineLoad } from './machine.ts';
import { type BenchStack, benchStack } from './stack.ts';
import { settle } from './settle.ts';

type Print = (line: string) => void;

/**
 * Settles vaults of these numbers of investors, and refunds as many of vaults that miss their reserve, one after the other, each on a
 * stack of its own; throws unless every payment is exact on the ledger. Deposits are laid on the ledger and into Postgres directly; from
 * the end of the windows on all is as always.
 */
export async function crowd(print: Print, ...counts: string[]): Promise<void> {
  print(machine());
  for (const count of counts.length === 0 ? ['500', '2000'] : counts) {
    await settleCrowd(print, Number(count));
    await refundCrowd(print, Number(count));
  }
}

async function settleCrowd(print: Print, count: number): Promise<void> {
  await using stack = await benchStack();
  const seeding = performance.now();
  const vaultId = await crowdVault(stack, count, BigInt(count) * 8_000_000n);
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
  const paid = await checkPayments(stack, vaultId, [owner.address]);
  print(`${count} investors: ${paid} entitlements exact on the ledger, checked in ${seconds(checking)} s`);
}

const seconds = (since: number) => ((performance.now() - since) / 1000).toFixed(1);

async function deliveries({ sql }: BenchStack, vaultId: string): Promise<{ batches: number; bytes: number }> {
  const { rows } = await sql.query<{ batches: number; bytes: number }>(
    `select count(*)::int as batches, (percentile_disc(0.5) within group (order by length(signed_cbor) / 2))::int as bytes
     from chain_transactions where vault_id = $1 and kind = 'deliver'`,
    [vaultId],
  );
  return rows[0] ?? { batches: 0, bytes: 0 };
}
