import { type Cosigner, type CosigningRules, mayCosign } from './eligible-cosigners.ts';
import type { GovernanceThresholds } from '../vault/vault.ts';
import type { BaseUnits } from '../units/money.ts';

/** What decides who may execute a proposal. */
interface GovernedProposal {
  readonly proposal: {
    /** Wallet. */
    readonly proposer: string;
    readonly requiredCosigners: number;
    readonly thresholds: Pick<GovernanceThresholds, 'cosigning'>;
  };
  readonly vault: {
    /** Wallet of the admin. */
    readonly createdBy: string;
    readonly cosigners: { readonly required: number; readonly keyHashes: readonly string[] } | null;
    readonly terms: { readonly ftSupply: BaseUnits };
  };
}

/** Whether a wallet has a part in executing a proposal; `partner` is the buyer or seller. */
export function mayExecute(wallet: Cosigner, governed: GovernedProposal, partner: string | null): boolean {
  const { proposal, vault } = governed;
  if ([proposal.proposer, vault.createdBy, partner].includes(wallet.wallet)) return true;
  return mayCosign(wallet, cosigningRules(governed));
}

/** Who may cosign a proposal, and how many have to. */
export function cosigningRules({ proposal, vault }: GovernedProposal): CosigningRules {
  return {
    required: requiredOf(proposal.requiredCosigners, vault.cosigners),
    registered: vault.cosigners?.keyHashes ?? [],
    threshold: proposal.thresholds.cosigning,
    supply: vault.terms.ftSupply,
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
