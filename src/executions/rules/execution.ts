import type { AssetType } from '../../assets/rules/asset.ts';
import { type Cosigner, type CosigningRules, mayCosign, type Signer } from './cosigners.ts';
import type { ErrorCode, FieldProblem } from '../../platform/error-registry.ts';
import { atField, ServiceError } from '../../platform/errors.ts';
import { transitions } from '../../platform/states.ts';
import type { Instant } from '../../platform/units/time.ts';
import { type BaseUnits, basisPoints } from '../../platform/units/money.ts';
import type { Price } from '../../prices/rules.ts';
import { frozenTermsDiffer, type ProposalEffect } from '../../proposals/rules/effects.ts';
import type { GovernanceThresholds } from '../../vaults/rules/vault.ts';

export const executionStatuses = ['FROZEN', 'SENT', 'EXECUTED', 'VOIDED', 'FAILED'] as const;
/**
 * FROZEN collects signatures, SENT was submitted, EXECUTED is in a block, VOIDED was superseded or expired before it was
 * submitted, FAILED can no longer enter a block.
 */
export type ExecutionStatus = (typeof executionStatuses)[number];

/**
 * The next status of an execution. A rollback takes EXECUTED back to SENT, or to FAILED when another execution of the
 * proposal was submitted meanwhile; FAILED → EXECUTED is one that is confirmed after it was given up.
 */
export const executionTransition = transitions<ExecutionStatus>(
  'execution',
  { FROZEN: ['SENT', 'VOIDED'], SENT: ['EXECUTED', 'FAILED'], EXECUTED: [], VOIDED: [], FAILED: [] },
  { EXECUTED: ['SENT', 'FAILED'], FAILED: ['EXECUTED'] },
);

/** Type and price of a bought asset. */
export interface BoughtAsset {
  readonly type: AssetType;
  readonly price: Price;
}

/** What decides who may cosign a proposal. */
interface CosignedProposal {
  readonly proposal: {
    readonly requiredCosigners: number;
    readonly thresholds: Pick<GovernanceThresholds, 'cosigning'>;
  };
  readonly vault: {
    readonly cosigners: { readonly required: number; readonly keyHashes: readonly string[] } | null;
  };
  /** The tokens of which the cosigning threshold is a share. */
  readonly supply: BaseUnits;
}

/** What decides who may execute a proposal. */
interface GovernedProposal extends CosignedProposal {
  readonly proposal: CosignedProposal['proposal'] & {
    /** Wallet. */
    readonly proposer: string;
  };
  readonly vault: CosignedProposal['vault'] & {
    /** Wallet of the admin. */
    readonly createdBy: string;
  };
}

/** Whether a wallet has a part in executing a proposal; `partner` is the buyer or seller. */
export function mayExecute(wallet: Cosigner, governed: GovernedProposal, partner: string | null): boolean {
  const { proposal, vault } = governed;
  if ([proposal.proposer, vault.createdBy, partner].includes(wallet.wallet)) return true;
  return mayCosign(wallet, cosigningRules(governed));
}

/** A twelfth of the supply: twelve signing leases are as long as the execution phase. */
const LEAST_SHARE_FOR_LEASE = basisPoints(834n);

/**
 * Whether a wallet that has frozen an execution has time of its own to collect signatures. Where the cosigning threshold is low, dust of many
 * wallets could otherwise fill the whole phase with signing leases.
 */
export function hasSigningLease(wallet: Cosigner, governed: GovernedProposal): boolean {
  const { cosigning } = governed.proposal.thresholds;
  const threshold = cosigning > LEAST_SHARE_FOR_LEASE ? cosigning : LEAST_SHARE_FOR_LEASE;
  return mayExecute(
    wallet,
    { ...governed, proposal: { ...governed.proposal, thresholds: { cosigning: threshold } } },
    null,
  );
}

/** Who may cosign a proposal, and how many have to. */
export function cosigningRules({ proposal, vault, supply }: CosignedProposal): CosigningRules {
  return {
    required: requiredOf(proposal.requiredCosigners, vault.cosigners),
    registered: vault.cosigners?.keyHashes ?? [],
    threshold: proposal.thresholds.cosigning,
    supply,
  };
}

/**
 * The custody script requires its own number of cosigners, even if the proposal requires fewer. A rotation may have left fewer than the
 * proposal requires: all of them then.
 */
function requiredOf(ofProposal: number, registered: GovernedProposal['vault']['cosigners']): number {
  if (!registered) return ofProposal;
  return Math.min(Math.max(ofProposal, registered.required), registered.keyHashes.length);
}

/** What decides whether a wallet may freeze and execute a proposal whose phase allows it. */
export interface ExecutorSnapshot {
  /** Whether it is the proposer, the admin of the vault, or may cosign. */
  readonly hasPart: boolean;
  /** Whether a new execution would have it as buyer, seller or holder. */
  readonly isPartner: boolean;
  /** Whether the vote did not name it as that, and too many executions with it have failed. */
  readonly isRefusedPartner: boolean;
  /** The execution that collects signatures; null when there is none. */
  readonly frozen: { readonly isOwn: boolean; readonly isPartner: boolean } | null;
}

/** The error code for freezing a new execution; undefined when the wallet may. */
export function freezeRefusal({
  hasPart,
  isPartner,
  isRefusedPartner,
  frozen,
}: ExecutorSnapshot): ErrorCode | undefined {
  if (hasPart) return undefined;
  // A buyer or seller alone may replace only what they froze themselves.
  if (!isPartner || frozen?.isOwn === false) return 'EXECUTOR_NOT_ELIGIBLE';
  return isRefusedPartner ? 'PARTNER_REFUSED' : undefined;
}

/** The error code for executing; undefined when the wallet may. Without a frozen execution the operation freezes one. */
export function executeRefusal(executor: ExecutorSnapshot): ErrorCode | undefined {
  if (executor.frozen === null) return freezeRefusal(executor);
  return executor.hasPart || executor.frozen.isPartner ? undefined : 'EXECUTOR_NOT_ELIGIBLE';
}

/** What a transaction was frozen for, or what a request asks for. */
interface ExecutionTerms {
  readonly effect: ProposalEffect;
  readonly cosigners: readonly Signer[];
  /** How many of them have to sign. */
  readonly requiredCosigners: number;
}

/** A request that names no number of cosigners leaves it as it was frozen. */
type RequestedTerms = Omit<ExecutionTerms, 'requiredCosigners'> & { readonly requiredCosigners: number | undefined };

/** Where a request differs from the frozen execution, by request field. Addresses with the same key are the same cosigner. */
export function differencesFromFrozen(frozen: ExecutionTerms, requested: RequestedTerms): readonly FieldProblem[] {
  const terms = frozenTermsDiffer(frozen.effect, requested.effect);
  return [...terms, ...cosignersDiffer(frozen, requested), ...numberDiffers(frozen, requested)];
}

function cosignersDiffer(frozen: ExecutionTerms, requested: RequestedTerms): FieldProblem[] {
  const named = new Set(requested.cosigners.map(({ keyHash }) => keyHash));
  const isFor = ({ keyHash }: Signer) => named.has(keyHash);
  if (named.size === frozen.cosigners.length && frozen.cosigners.every(isFor)) return [];
  const message = `The transaction was frozen for ${frozen.cosigners.map(({ wallet }) => wallet).join(', ') || 'no cosigners'}.`;
  return [{ code: 'FROZEN_FOR_ANOTHER_ACTION', message, field: 'cosigners' }];
}

function numberDiffers(frozen: ExecutionTerms, { requiredCosigners }: RequestedTerms): FieldProblem[] {
  if (requiredCosigners === undefined || requiredCosigners === frozen.requiredCosigners) return [];
  const message = `The transaction was frozen for the signatures of ${frozen.requiredCosigners} cosigners.`;
  return [{ code: 'FROZEN_FOR_ANOTHER_ACTION', message, field: 'required_cosigners' }];
}

/** How many failed executions of a proposal leave it PASSED (design D50). The next one fails it. */
const FORGIVEN_FAILURES = 3;

/** How many executions of a proposal may fail with one buyer or seller whom its vote did not name. */
const FAILURES_OF_A_PARTNER = 2;

interface FailedProposal {
  /** The approved one. */
  readonly effect: ProposalEffect;
  readonly failures: number;
  readonly executionEndsAt: Instant;
}

/**
 * Whether a proposal whose execution has failed may be executed again: in its execution phase, and not after too many failures
 * of those whom the vote named. Where it left the buyer or seller open, strangers could fail it otherwise.
 */
export function mayExecuteAgain({ effect, failures, executionEndsAt }: FailedProposal, now: Instant): boolean {
  return (isPartnerOpen(effect) || failures <= FORGIVEN_FAILURES) && now < executionEndsAt;
}

/** Throws PARTNER_REFUSED for a buyer or seller whom the vote did not name after too many failed executions with that wallet. */
export function requirePartnerMayTry(
  effect: ProposalEffect,
  { wallet, failures }: { readonly wallet: string; readonly failures: number },
): void {
  if (!isRefusedPartner(effect, failures)) return;
  const field = effect.type === 'BUY' ? 'action.details.seller_address' : 'action.details.buyer_address';
  throw atField(new ServiceError('PARTNER_REFUSED', { wallet, failures }), field);
}

/** Whether the vote did not name the buyer or seller, and too many executions with them have failed. */
export function isRefusedPartner(effect: ProposalEffect, failures: number): boolean {
  return isPartnerOpen(effect) && failures >= FAILURES_OF_A_PARTNER;
}

/** Whether the vote left the buyer or seller open, so that any wallet can be the partner of an execution. */
function isPartnerOpen({ terms }: ProposalEffect): boolean {
  if ('buyerAddress' in terms) return terms.buyerAddress === null;
  return 'sellerAddress' in terms && terms.sellerAddress === null;
}
