import { type Cosigner, type CosigningRules, mayCosign } from './eligible-cosigners.ts';
import type { GovernanceThresholds } from '../../vaults/rules/vault.ts';
import { type BaseUnits, basisPoints } from '../../platform/units/money.ts';

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

/** A twelfth of the supply: twelve turns are as long as the execution phase. */
const LEAST_SHARE_FOR_TURN = basisPoints(834n);

/**
 * Whether a wallet that has frozen an execution has time of its own to collect signatures. Where the cosigning threshold is low, dust of many
 * wallets could otherwise fill the whole phase with turns.
 */
export function hasSigningTurn(wallet: Cosigner, governed: GovernedProposal): boolean {
  const { cosigning } = governed.proposal.thresholds;
  const threshold = cosigning > LEAST_SHARE_FOR_TURN ? cosigning : LEAST_SHARE_FOR_TURN;
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
