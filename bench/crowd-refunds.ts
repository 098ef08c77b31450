import { setTimeout as pause } from 'node:timers/promises';
import { mapInBatches } from '../src/platform/async.ts';
import { heldAt } from '../test/claims/vault-with-pot.ts';
import { crowdVault, work } from './crowd-vault.ts';
import { machineLoad } from './machine.ts';
import { type BenchStack, benchStack } from './stack.ts';

const SAMPLE_MS = 500;
/** So that no investments of 5 to 6 ADA reach the reserve. */
const VALUE_FOR_EACH = 1_000_000_000n;

/** Refunds so many investors of a vault that misses its reserve; throws unless each has all but their part of the fees. */
export async function refundCrowd(print: (line: string) => void, count: number): Promise<void> {
  await using stack = await benchStack();
  const vaultId = await crowdVault(stack, count, BigInt(count) * VALUE_FOR_EACH);
  const before = await work(stack);
  const seconds = await untilRefunded(stack, vaultId);
  const after = await work(stack);
  const { refunds, wallets } = await refunded(stack, vaultId, count);
  await mapInBatches(wallets, 10, async ({ wallet, lovelace }) => {
    const held = await heldAt(stack, wallet, '');
    if (held.lovelace !== BigInt(lovelace)) throw new Error(`${wallet} holds ${held.lovelace} of ${lovelace} lovelace`);
  });
  print(
    `${count} investors: all refunded exactly by ${refunds} transactions, ${seconds.toFixed(1)} s after the windows; worker ` +
      `${(after.cpu - before.cpu).toFixed(1)} s of CPU, Postgres ${(after.postgres - before.postgres).toFixed(1)} s; for each refund ` +
      `${Math.round((after.rows - before.rows) / refunds)} rows read; ${machineLoad()}`,
  );
}

async function untilRefunded({ sql }: BenchStack, vaultId: string): Promise<number> {
  let closed = NaN;
  for (;;) {
    const { rows } = await sql.query<{ status: string; closed: boolean }>(
      `select status, not exists (select from windows where vault_id = id and closed_at is null) as closed from vaults where id = $1`,
      [vaultId],
    );
    if (rows[0]?.closed && Number.isNaN(closed)) closed = performance.now();
    if (rows[0]?.status === 'TERMINATED') return (performance.now() - closed) / 1000;
    if (rows[0]?.status === 'LOCKED') throw new Error('the vault settled');
    await pause(SAMPLE_MS);
  }
}

/** The refunds of a vault, and what each investor should hold. Throws unless they paid the fees together, and nothing else. */
async function refunded({ sql }: BenchStack, vaultId: string, count: number) {
  const { rows: wallets } = await sql.query<{ wallet: string; lovelace: string }>(
    `select i.wallet, (i.lovelace + i.delivery_deposit - (d.payment ->> 'feeShare')::numeric)::text as lovelace
     from investments i join transaction_deposits d on d.deposit_id = i.id
     join chain_transactions t on t.id = d.transaction_id and t.kind = 'refund' and t.state in ('confirmed', 'final')
     where i.vault_id = $1`,
    [vaultId],
  );
  const { rows } = await sql.query<{ refunds: number; exact: boolean }>(
    `select count(*)::int as refunds, sum(fee) = (
       select sum((d.payment ->> 'feeShare')::numeric) from transaction_deposits d join chain_transactions t on t.id = d.transaction_id
       where t.vault_id = $1 and t.kind = 'refund' and t.state in ('confirmed', 'final')) as exact
     from chain_transactions where vault_id = $1 and kind = 'refund' and state in ('confirmed', 'final')`,
    [vaultId],
  );
  const [sums] = rows;
  if (wallets.length !== count || !sums?.exact) throw new Error(`${wallets.length} of ${count} were refunded exactly`);
  return { refunds: sums.refunds, wallets };
}
