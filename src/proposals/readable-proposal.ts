import { ServiceError } from '../platform/errors/errors.ts';
import type { Caller } from '../access/rules/caller.ts';
import { findProposal, type Proposal } from './queries/proposals.ts';
import { findVault, type Vault } from '../vaults/queries/vaults.ts';
import type { ServiceContext } from '../context.ts';
import { isReadable } from '../vaults/vault-access.ts';

export interface ProposalWithVault {
  readonly proposal: Proposal;
  readonly vault: Vault;
}

/** A proposal with its vault. Throws PROPOSAL_NOT_FOUND, also where the caller may not read the vault (design D8). */
export async function requireReadableProposal(
  { db }: Pick<ServiceContext, 'db'>,
  caller: Caller,
  proposalId: string,
): Promise<ProposalWithVault> {
  const proposal = await findProposal(db, proposalId);
  const vault = proposal && (await findVault(db, proposal.vaultId));
  if (!vault || !(await isReadable(db, caller, vault))) throw new ServiceError('PROPOSAL_NOT_FOUND');
  return { proposal, vault };
}
