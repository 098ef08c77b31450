import { type Cosigner, type CosigningRules, mayCosign } from '../../domain/execution/cosigning.ts';
import type { ProposalWithVault } from '../proposals/readable-proposal.ts';

/** Whether a wallet has a part in executing a proposal; `partner` is the buyer or seller. */
export function mayExecute(wallet: Cosigner, governed: ProposalWithVault, partner: string | null): boolean {
  const { proposal, vault } = governed;
  if ([proposal.proposer, vault.createdBy, partner].includes(wallet.wallet)) return true;
  return mayCosign(wallet, cosigningRules(governed));
}

/** Who may cosign a proposal, and how many have to. */
export function cosigningRules({ proposal, vault }: ProposalWithVault): CosigningRules {
  return {
    // The custody script requires its own number of cosigners, even if the proposal requires fewer.
    required: Math.max(proposal.requiredCosigners, vault.cosigners?.required ?? 0),
    registered: vault.cosigners?.keyHashes ?? [],
    threshold: proposal.thresholds.cosigning,
    supply: vault.terms.ftSupply,
  };
}
