import type { CborMap } from '../cardano/cbor/read-cbor.ts';
import type { DecodedTransaction } from './decode-transaction.ts';

const LABEL = 868_484;

/** The proposal to liquidate a vault that a transaction decides, and nothing else; null for other metadata. */
export function liquidatedBy({ metadata }: Pick<DecodedTransaction, 'metadata'>): unknown {
  const recorded = metadata?.get(LABEL);
  if (metadata?.size !== 1 || !(recorded instanceof Map)) return null;
  const decision = recorded as CborMap;
  return decision.get('decision') === 'liquidate' ? decision.get('proposal') : null;
}
