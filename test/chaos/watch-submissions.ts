import type { TestStack } from '../stack/test-stack.ts';
import type { Point } from './points.ts';

/** Watches the points at which transactions are sent to the ledger, each until it is reached once. */
export function watchSubmissions(
  { liar, sql }: Pick<TestStack, 'liar' | 'sql'>,
  wanted: readonly Point[],
  onReached: (point: Point) => Promise<void>,
) {
  const left = new Set(wanted);
  const take = (moment: Point['moment'], kind: string | undefined): Point | undefined => {
    const point = [...left].find((one) => one.moment === moment && one.change === kind);
    if (point) left.delete(point);
    return point;
  };
  liar.intercept(async ({ method, path, body }) => {
    if (left.size === 0 || method !== 'POST' || !path.endsWith('/tx/submit')) return null;
    const signed = body.toString('hex');
    const rows = await sql.run<{ kind: string }>`select kind from chain_transactions where signed_cbor = ${signed}`;
    const before = take('before it is sent', rows[0]?.kind);
    if (before) {
      await onReached(before);
      return null;
    }
    const after = take('after it is sent', rows[0]?.kind);
    if (!after) return null;
    // It is passed on, and its answer is lost.
    void onReached(after);
    return 'drop after';
  });
  return { left: (): readonly Point[] => [...left] };
}
