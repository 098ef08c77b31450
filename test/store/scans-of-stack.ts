import type { TestStack } from '../stack/test-stack.ts';
import { mayScan, type Scan, scansOf } from './plan-scans.ts';
import { recordedIn, type Statement } from './recorded-statements.ts';

/** The full scans of growing tables by any statement that a process of a stack has sent until now, or by one of these. */
export async function scansOfStack(
  { sql, statementsFolder }: Pick<TestStack, 'sql' | 'statementsFolder'>,
  others: readonly Statement[] = [],
): Promise<Scan[]> {
  const scans = await scansOf(sql, [...(await recordedIn(statementsFolder)), ...others]);
  return scans.filter((scan) => !mayScan(scan));
}
