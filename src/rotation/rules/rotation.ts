import type { ErrorCode } from '../../platform/errors/errors.ts';
import { governanceRefusal, type GovernedVault } from '../../proposals/rules/governed-vault.ts';
import { type Instant, secondsAfter } from '../../platform/units/instant.ts';
import { cosignersAloneFrom } from '../../vaults/rules/registered-cosigners.ts';
import type { VaultCustody } from '../../vaults/rules/vault-custody.ts';
import type { SignedAgreement } from './cosigner-agreement.ts';
import type { TerminationTerms } from '../../vaults/rules/vault.ts';

/** Holders know of a rotation for so long before it begins: three days. One because of a compromised key begins at once. */
export const NOTICE_SECONDS = 72 * 3600;

/** A change of the key of a settled vault, of its cosigners, or of both, by moving what it has to another custody (design D20). */
export interface Rotation {
  readonly id: string;
  readonly vaultId: string;
  readonly reason: string;
  /** Whether the key of the vault is compromised, so that holders get no notice. */
  readonly isUrgent: boolean;
  readonly target: VaultCustody;
  /** What was signed for its cosigners; null where they stay. */
  readonly agreements: readonly SignedAgreement[] | null;
  readonly announcedAt: Instant;
  readonly startsAt: Instant;
  /** Executions and the end of the vault wait from then on. */
  readonly begunAt: Instant | null;
  /** From when on the vault has the target's key and custody. */
  readonly changedAt: Instant | null;
  readonly finishedAt: Instant | null;
  readonly cancelledAt: Instant | null;
}

export const rotationStatuses = ['announced', 'running', 'finished', 'cancelled'] as const;
export type RotationStatus = (typeof rotationStatuses)[number];

export function rotationStatus(rotation: Pick<Rotation, 'begunAt' | 'finishedAt' | 'cancelledAt'>): RotationStatus {
  if (rotation.cancelledAt !== null) return 'cancelled';
  if (rotation.finishedAt !== null) return 'finished';
  return rotation.begunAt === null ? 'announced' : 'running';
}

/** What decides whether a vault can be rotated. */
export interface RotatableVault extends GovernedVault, Pick<VaultCustody, 'cosigners'> {
  /** Its rotation that is announced or runs. */
  readonly rotationId: string | null;
}

/** Why a vault cannot be rotated at present, if it cannot. */
export function rotationRefusal(vault: RotatableVault, changesCosigners: boolean): ErrorCode | undefined {
  const refusal = vault.claimsOpen ? 'VAULT_ALREADY_ENDED' : governanceRefusal(vault);
  if (refusal) return refusal;
  if (vault.rotationId !== null) return 'ROTATION_UNDER_WAY';
  // Whoever joins a custody without cosigners could keep its assets from everybody, and nobody has to approve that.
  return changesCosigners && vault.cosigners === null ? 'VAULT_WITHOUT_COSIGNERS' : undefined;
}

/** When a rotation that is announced now begins. */
export function rotationStart(now: Instant, { isUrgent }: Pick<Rotation, 'isUrgent'>): Instant {
  return isUrgent ? now : secondsAfter(now, NOTICE_SECONDS);
}

/** From when on cosigners need no key of the vault after a rotation: that of a vault without a programmed end moves on with the rotation. */
export function cosignersAloneAfterRotation(
  now: Instant,
  { settlesBy, terms }: { readonly settlesBy: Instant; readonly terms: { readonly termination: TerminationTerms } },
): Instant {
  return cosignersAloneFrom(terms.termination.type === 'PROGRAMMED' ? settlesBy : now, terms.termination);
}
