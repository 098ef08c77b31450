import type { CborMap } from '../cardano/cbor/read-cbor.ts';
import type { DecodedTransaction } from './decode-transaction.ts';
import { requireJust } from './judged.ts';

const LABEL = 868_485;

/** What a mint commits to. */
interface PlanInMint {
  readonly terms: unknown;
  readonly root: unknown;
  readonly shares: unknown;
}

/** What a mint commits to in its metadata, and nothing else; null for other metadata. */
export function committedPlanOf({ metadata }: Pick<DecodedTransaction, 'metadata'>): PlanInMint | null {
  const committed = metadata?.get(LABEL);
  if (metadata?.size !== 1 || !(committed instanceof Map)) return null;
  const plan = committed as CborMap;
  return plan.get('v') === 1 ? { terms: plan.get('terms'), root: plan.get('root'), shares: plan.get('shares') } : null;
}

/** As `committedPlanOf`. Throws TRANSACTION_NOT_JUSTIFIED for a mint that commits to nothing: rows alone say nothing of who gets what. */
export function requireCommittedPlan(mint: Pick<DecodedTransaction, 'metadata'>): PlanInMint {
  const committed = committedPlanOf(mint);
  requireJust(committed !== null, 'the mint of its vault has committed to nothing');
  return committed;
}
