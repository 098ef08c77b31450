import type { CborMap } from '../cardano/cbor/read-cbor.ts';
import type { DecodedTransaction } from './decoder.ts';

const LABEL = 868_483;

/** The batch whose root a transaction records, and nothing else; null for other metadata. */
export function anchoredBatchOf({
  metadata,
}: Pick<DecodedTransaction, 'metadata'>): { readonly root: unknown; readonly count: unknown } | null {
  const anchored = metadata?.get(LABEL);
  if (metadata?.size !== 1 || !(anchored instanceof Map)) return null;
  const batch = anchored as CborMap;
  return batch.get('v') === 1 ? { root: batch.get('root'), count: batch.get('count') } : null;
}
