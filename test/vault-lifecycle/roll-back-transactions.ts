import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';

/**
 * Rolls back every block from the first of these transactions on, and waits until the service has recorded the rollback of each.
 * They may have been confirmed again by then.
 */
export async function rollBackFrom(stack: TestStack, hashes: readonly string[]): Promise<void> {
  const { sql, ledger } = stack;
  const rows = await sql.run<{ height: string }>`select min(block_height) as height from chain_transactions
      where hash = any(${hashes})`;
  const before = await countRollbacks(stack, hashes);
  await ledger.rollbackFrom(Number(rows[0]?.height));
  const undone = async () => {
    const times = await countRollbacks(stack, hashes);
    return hashes.every((hash) => (times.get(hash) ?? 0) > (before.get(hash) ?? 0));
  };
  await until(undone, { what: `${hashes.join(' and ')} to be undone` });
}

async function countRollbacks({ sql }: TestStack, hashes: readonly string[]): Promise<Map<string, number>> {
  const rows = await sql.run<{ hash: string; times: number }>`select t.hash, count(*)::int as times
      from chain_transaction_history h
      join chain_transactions t on t.id = h.transaction_id
      where t.hash = any(${hashes}) and h.reason like '%was rolled back' group by t.hash`;
  return new Map(rows.map(({ hash, times }) => [hash, times]));
}
