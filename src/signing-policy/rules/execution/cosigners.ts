import type { KeyHash } from '../../../cardano/transaction.ts';
import { ServiceError } from '../../../platform/errors/errors.ts';
import { refText } from '../../../transactions/rules/utxo-ref.ts';
import { basisPoints } from '../../../platform/units/money.ts';
import { reachesShare } from '../../../platform/units/percentage.ts';
import type { ExecutionEvidence } from '../../evidence.ts';
import { type Judged, requireJust } from '../../judged.ts';

/**
 * Throws unless as many cosigners have signed as were anchored with the proposal, each of whom its vault registers or, where it registers
 * none, who has staked so much on the ledger as was anchored. Throws LEDGER_UNAVAILABLE where stakes that the ledger does not show may be enough.
 */
export function requireCosigned({ signedBy }: Judged, evidence: ExecutionEvidence): void {
  const { cosigners, requiredCosigners, vault, vote, staked } = evidence;
  const anchored = anchoredCosigners(vote);
  // A rotation may have left fewer cosigners than the proposal requires.
  const required = Math.max(requiredCosigners, Math.min(anchored, vault.cosigners?.keyHashes.length ?? anchored));
  const signing = [...new Set(cosigners)].filter((key) => signedBy.has(key));
  const signed = signing.filter((key) => mayCosign(key, evidence)).length;
  const unseen = signing.map((key) => staked?.unseen.get(key) ?? []).filter((refs) => refs.length > 0);
  // The backend lags behind, and is asked again.
  if (signed < required && signed + unseen.length >= required)
    throw new ServiceError('LEDGER_UNAVAILABLE', {
      reason: `stakes of cosigners are missing: ${unseen.flat().map(refText).join(', ')}`,
    });
  requireJust(signed >= required, `${signed} of ${required} cosigners have signed it`);
}

function mayCosign(key: KeyHash, { vault, staked, vote }: ExecutionEvidence): boolean {
  if (vault.cosigners) return vault.cosigners.keyHashes.includes(key);
  if (staked === null) return false;
  return mayCosignWith(staked.byKey.get(key) ?? 0n, { threshold: cosigningThreshold(vote), supply: staked.supply });
}

/** How many cosigners were anchored with the proposal. */
export function anchoredCosigners({ created }: Pick<ExecutionEvidence['vote'], 'created'>): number {
  return Number(created.fact['requiredCosigners'] ?? 0);
}

/** The share of the supply in basis points, anchored with the proposal, that a cosigner must have staked. */
export function cosigningThreshold({ created }: Pick<ExecutionEvidence['vote'], 'created'>): bigint {
  const { cosigning = '0' } = created.fact['thresholds'] as { readonly cosigning?: string };
  return BigInt(cosigning);
}

/** Whether who has staked so much may cosign. */
export function mayCosignWith(
  staked: bigint,
  { threshold, supply }: { readonly threshold: bigint; readonly supply: bigint },
): boolean {
  return staked > 0n && reachesShare(staked, basisPoints(threshold), supply);
}
