import type { ErrorCode } from '../platform/error-registry.ts';
import { type Instant, secondsAfter } from '../platform/units/time.ts';
import { governanceRefusal, type GovernedVault } from '../proposals/rules/allowed-actions.ts';
import type { StepStatus } from '../termination/rules/steps.ts';
import { type Cosigners, type TransactionState, visibleState, type TransactionKind } from '../transactions/rules.ts';
import { cosignersAloneFrom, type VaultCustody, type TerminationTerms } from '../vaults/rules/vault.ts';

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

/** The steps of a rotation, in their order. */
export const rotationSteps = ['notice', 'end_executions', 'move_outputs'] as const;
export type RotationStep = (typeof rotationSteps)[number];

/** A step of a rotation, as readers see it. */
interface RotationStepView {
  readonly name: RotationStep;
  readonly status: StepStatus;
  /** Of its newest transaction; null when it has none. */
  readonly transactionHash: string | null;
  /** How many of its transactions are final. */
  readonly finalTransactions: number;
  /** When it was done, or its newest transaction changed; null before. */
  readonly at: Instant | null;
}

/** A transaction that moves outputs. */
export interface RotationTransaction {
  readonly hash: string;
  readonly state: TransactionState;
  /** The last instant for signatures. */
  readonly expiresAt: Instant;
  readonly at: Instant;
}

type Facts = Pick<Rotation, 'isUrgent' | 'begunAt' | 'changedAt' | 'finishedAt' | 'cancelledAt'>;

/** The steps of a rotation from what has happened; `transactions` are those that moved outputs since it changed the custody, oldest first. */
export function viewRotationSteps(
  rotation: Facts,
  transactions: readonly RotationTransaction[],
  now: Instant,
): readonly RotationStepView[] {
  const { isUrgent, begunAt, changedAt, finishedAt, cancelledAt } = rotation;
  const newest = transactions.at(-1);
  const step = (name: RotationStep, since: Instant | null | 'first', doneAt: Instant | null): RotationStepView => {
    const status = doneAt !== null ? 'done' : since === null || cancelledAt !== null ? 'pending' : 'running';
    return { name, status, transactionHash: null, finalTransactions: 0, at: doneAt };
  };
  const notice = step('notice', 'first', begunAt);
  const moving = step('move_outputs', changedAt, finishedAt);
  const isWaiting =
    moving.status === 'running' && newest !== undefined && visibleState(newest, now) === 'awaiting_signatures';
  return [
    isUrgent ? { ...notice, status: 'skipped' } : notice,
    step('end_executions', begunAt, changedAt),
    {
      ...moving,
      status: isWaiting ? 'waiting_for_cosigners' : moving.status,
      transactionHash: newest?.hash ?? null,
      finalTransactions: transactions.filter(({ state }) => state === 'final').length,
      at: finishedAt ?? newest?.at ?? null,
    },
  ];
}

/** The change of a vault's cosigners that somebody agrees to. */
export interface CosignerChange {
  readonly vaultId: string;
  /** The custody that the vault has before. */
  readonly contractAddress: string;
  /** How many rotations of the vault were announced before, those that were cancelled among them. */
  readonly rotations: number;
  readonly cosigners: Cosigners;
}

/** An agreement as a wallet has signed it (CIP-8). */
export interface SignedAgreement {
  readonly address: string;
  /** COSE_Sign1 in CBOR hex; the text is in it. */
  readonly signature: string;
  /** COSE_Key in CBOR hex. */
  readonly key: string;
}

/**
 * What each cosigner of a rotation signs (CIP-8): that they have the key, and agree to these cosigners of this vault. Present ones sign the
 * same. It holds for one rotation: the next one has another number.
 */
export function cosignerAgreement({ vaultId, contractAddress, rotations, cosigners }: CosignerChange): string {
  const { required, keyHashes } = cosigners;
  const after = `instead of ${contractAddress} after ${rotations} rotations`;
  return `Cosign for vault ${vaultId}: ${required} of ${keyHashes.toSorted().join(', ')}, ${after}`;
}

/** Whether as many of the present cosigners agree as have to sign what moves; a vault without cosigners needs nobody. */
export function isAgreed(present: Cosigners | null, agreeing: readonly string[]): boolean {
  if (present === null) return true;
  return present.keyHashes.filter((keyHash) => agreeing.includes(keyHash)).length >= present.required;
}

/** What brings something to the custody of a settled vault: while one is under way, its custody stays where it is. */
export const toCustodyKinds = [
  'create_vault',
  'mint',
  'deliver',
  'liquidity',
  'refund',
  'execute',
] as const satisfies readonly TransactionKind[];

/** What moves outputs to a new custody: those that executions may spend, and those that they never do. */
export const moveKinds = ['move_custody', 'move_kept'] as const satisfies readonly TransactionKind[];

export function isAwaitedByRotation(kind: TransactionKind): boolean {
  return [...toCustodyKinds, ...moveKinds].some((awaited) => awaited === kind);
}
