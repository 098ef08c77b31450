import type { CborMap } from '../chain/cbor/read-cbor.ts';
import type { DecodedTransaction } from './decode-transaction.ts';

const LABEL = 868_485;

/** What a mint commits to in its metadata, and nothing else; null for other metadata. */
export function committedPlanOf({ metadata }: Pick<DecodedTransaction, 'metadata'>): {
  readonly terms: unknown;
  readonly root: unknown;
  readonly shares: unknown;
} | null {
  const committed = metadata?.get(LABEL);
  if (metadata?.size !== 1 || !(committed instanceof Map)) return null;
  const plan = committed as CborMap;
  return plan.get('v') === 1 ? { terms: plan.get('terms'), root: plan.get('root'), shares: plan.get('shares') } : null;
}
