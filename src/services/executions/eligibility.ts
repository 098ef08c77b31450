import { type Cosigner, type CosigningRules, mayCosign } from '../../domain/execution/cosigning.ts';
import type { Proposal } from '../../store/proposals.ts';
import type { Vault } from '../../store/vaults.ts';

interface Governed {
  readonly proposal: Proposal;
  readonly vault: Vault;
}

/** Whether a wallet has a part in executing a proposal; `partner` is who buys or sells. */
export function mayExecute(wallet: Cosigner, governed: Governed, partner: string | null): boolean {
  const { proposal, vault } = governed;
  if ([proposal.proposer, vault.createdBy, partner].includes(wallet.wallet)) return true;
  return mayCosign(wallet, cosigningRules(governed));
}

/** Who may cosign a proposal, and how many have to. */
export function cosigningRules({ proposal, vault }: Governed): CosigningRules {
  return {
    // The custody script insists on its own k, whatever the proposal asks for.
    required: Math.max(proposal.requiredCosigners, vault.cosigners?.required ?? 0),
    registered: vault.cosigners?.keyHashes ?? [],
    threshold: proposal.thresholds.cosigning,
    supply: vault.terms.ftSupply,
  };
}
