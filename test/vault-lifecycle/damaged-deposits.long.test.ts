import { expect, test } from '@jest/globals';
import { heldAt } from '../claims/vault-with-pot.ts';
import { fileStack } from '../stack/file-stack.ts';
import { readMetrics, valueOf } from '../stack/metrics.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { checkPayments } from './check-payments.ts';
import { crowdedVault } from './crowded-vault.ts';
import { mineUntil } from './mine-until.ts';
import { person } from './participants.ts';
import { advance, readVault, waitForVaultStatus } from './vault-requests.ts';

const stackOfFile = fileStack({ blockMs: 0 });

interface DepositRow {
  readonly transaction: string;
  readonly wallet: string;
}

/** What was planned for a vault's deposits, in the order of payment. */
async function depositsOf({ sql }: TestStack, vaultId: string): Promise<DepositRow[]> {
  const rows = await sql.run<DepositRow>`select e.wallet, coalesce(i.transaction_id,
       a.add_transaction_id) as transaction from entitlements e
       left join investments i on i.id = deposit_id left join assets a on a.id = deposit_id
       where e.vault_id = ${vaultId} order by position`;
  return rows;
}

/** Wallets with tokens of the vault, in the order of payment. */
async function paidWallets(stack: TestStack, vaultId: string, deposits: readonly DepositRow[]): Promise<number[]> {
  const rows = await stack.sql.run<{ unit: string }>`select ft_unit as unit from vaults where id = ${vaultId}`;
  const holdings = await Promise.all(deposits.map(({ wallet }) => heldAt(stack, wallet, rows[0]?.unit ?? '')));
  return holdings.flatMap(({ tokens }, position) => (tokens > 0n ? [position] : []));
}

test('deposits whose rows are damaged after the mint stop no other delivery, and are delivered exactly once they are fixed', async () => {
  const stack = stackOfFile();
  const { sql } = stack;
  const { vaultId, owner } = await crowdedVault(stack, 145, 12);
  const deposits = await depositsOf(stack, vaultId);
  const before = await sql.query<{ id: string; outputs: unknown }>('select id, outputs from chain_transactions');
  const damage = (position: number, path: string, value: string) =>
    sql.query('update chain_transactions set outputs = jsonb_set(outputs, $2, to_jsonb($3::text)) where id = $1', [
      deposits[position]?.transaction,
      path,
      value,
    ]);
  const mend = async (positions: readonly number[]) => {
    for (const { id, outputs } of before.rows)
      if (positions.some((position) => deposits[position]?.transaction === id))
        await sql.run`update chain_transactions set outputs = ${JSON.stringify(outputs)} where id = ${id}`;
  };
  const [unreadable, misplaced, poor, wrong, contribution] = [2, 3, 5, 7, 12];
  await damage(unreadable, '{0,lovelace}', 'none');
  await damage(misplaced, '{0,address}', person(146).address);
  await damage(poor, '{0,lovelace}', '1000000');
  await damage(wrong, '{0,lovelace}', '9000000');
  await damage(contribution, '{0,lovelace}', 'none');

  const paid = () => paidWallets(stack, vaultId, deposits);
  const untilPaid = async (positions: readonly number[]) => {
    const look = async () => {
      await stack.ledger.mine();
      await advance(stack, 30);
      return JSON.stringify(await paid()) === JSON.stringify(positions);
    };
    await until(look, { what: `${positions.join()} to be paid`, deadlineMs: 120_000 });
  };
  await untilPaid([0, 1, 4, 6, 8, 9, 10, 11]);
  await until(
    async () => {
      await advance(stack, 30);
      const { holds } = await readVault(stack, vaultId);
      return holds.some(({ reason }) => reason === 'repeated_failures');
    },
    { what: 'the hold' },
  );
  const unread = valueOf(await readMetrics(stack.metricsUrl('worker')), 'unreadable_rows_total{table="investments"}');
  expect(unread).toBeGreaterThan(0);

  await mend([unreadable, misplaced, poor, wrong]);
  await untilPaid(Array.from({ length: 12 }, (_, position) => position));
  await mend([contribution]);
  await mineUntil(stack, waitForVaultStatus(stack, vaultId, 'LOCKED'));
  expect(await checkPayments(stack, vaultId, [owner.address])).toBe(13);
});
