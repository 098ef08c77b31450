import type { TestStack } from '../stack/test-stack.ts';

/** Advances the clocks of the services and the ledger, but not of the workflows. */
export async function advanceClocks(
  { sql, ledger }: Pick<TestStack, 'sql' | 'ledger'>,
  seconds: number,
): Promise<void> {
  const rows = await sql.run<{ offset_ms: string }>`update clock_offset
      set offset_ms = offset_ms + ${seconds * 1000} returning offset_ms`;
  await ledger.setClock(Number(rows[0]?.offset_ms));
}
