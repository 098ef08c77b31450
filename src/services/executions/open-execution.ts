import { type Caller } from '../../domain/identity/caller.ts';
import { parseWalletAddress } from '../../chain/scripts/address.ts';
import type { NetworkId } from '../../chain/transaction.ts';
import { type Cosigner, requireCosigners } from '../../domain/execution/cosigning.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Instant } from '../../domain/units/instant.ts';

import { voteSummary, proposalSnapshot } from '../votes/vote-summaries.ts';
import type { Transaction } from '../../store/database.ts';
import { closeFence } from '../../store/fences.ts';
import type { Proposal } from '../../store/proposals.ts';
import { stakedPower } from '../../store/voting-powers.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import type { Vault } from '../../store/vaults.ts';
import { cosigningRules, mayExecute } from './eligibility.ts';

import type { Actor } from '../actor.ts';
import { requireLockedVault } from '../vaults/require-vault.ts';
import { requireAction } from '../../domain/proposal/action-refusals.ts';
import { requireReadableProposal } from '../proposals/readable-proposal.ts';

/** A proposal that can be executed, and its vault. */
export interface OpenExecution {
  readonly proposal: Proposal;
  readonly vault: Vault;
  /** When it is executed. */
  readonly at: Instant;
}

/**
 * Keeps a proposal in its execution phase until the unit of work ends. Raises PROPOSAL_NOT_FOUND, EXECUTION_NOT_OPEN,
 * EXECUTION_CLOSED, EXECUTION_UNDER_WAY, VAULT_ALREADY_ENDED, VAULT_NOT_LOCKED, and SERVICE_NOT_READY while no worker has
 * closed its vote.
 */
export async function openExecution(
  { tx, now }: TransactionContext,
  caller: Caller,
  proposalId: string,
): Promise<OpenExecution> {
  await closeFence(tx, `proposal:${proposalId}`);
  const { proposal, vault } = await requireReadableProposal({ db: tx }, caller, proposalId);
  requireAction('execute', proposalSnapshot(proposal, await voteSummary(tx, proposal)), now);
  requireLockedVault(vault);
  return { proposal, vault, at: now };
}

/** Those named, as the vault sees them. Raises INVALID_ADDRESS, WRONG_NETWORK, COSIGNER_NOT_ELIGIBLE and what `tooFew` makes. */
export async function namedCosigners(
  tx: Transaction,
  executable: OpenExecution,
  named: readonly string[],
  networkId: NetworkId,
  tooFew: Parameters<typeof requireCosigners>[2],
): Promise<readonly Cosigner[]> {
  const cosigners: Cosigner[] = [];
  for (const [position, text] of named.entries()) {
    const { address, paymentKeyHash } = parseWalletAddress(text, networkId, `cosigners.${position}`);
    cosigners.push(await cosignerOf(tx, executable, { address, paymentKeyHash }));
  }
  return requireCosigners(cosigners, cosigningRules(executable), tooFew);
}

/** Raises EXECUTOR_NOT_ELIGIBLE for a wallet that has no part in the proposal; `partner` is who buys or sells. */
export async function requireExecutor(
  tx: Transaction,
  executable: OpenExecution,
  executor: Actor,
  partner: string | null,
): Promise<void> {
  if (mayExecute(await cosignerOf(tx, executable, executor), executable, partner)) return;
  throw new ServiceError('EXECUTOR_NOT_ELIGIBLE', { wallet: executor.address });
}

async function cosignerOf(
  tx: Transaction,
  { vault: { id }, at }: OpenExecution,
  { address, paymentKeyHash: keyHash }: Pick<Actor, 'address' | 'paymentKeyHash'>,
): Promise<Cosigner> {
  return { wallet: address, keyHash, power: await stakedPower(tx, id, address, at) };
}
