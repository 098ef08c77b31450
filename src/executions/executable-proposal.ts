import { paymentKeyHashOf, type WalletAddress } from '../cardano/scripts/address.ts';
import { ServiceError } from '../platform/errors/errors.ts';
import type { Cosigner } from './rules/eligible-cosigners.ts';
import { requirePartnerMayTry } from './rules/repeated-execution.ts';
import type { Signer } from './rules/required-signatures.ts';
import type { Caller } from '../access/rules/caller.ts';
import { requireAction } from '../proposals/rules/action-refusals.ts';
import type { Instant } from '../platform/units/instant.ts';
import type { BaseUnits } from '../platform/units/money.ts';
import { governingSupplyOf } from '../staking/queries/circulating-supply.ts';
import type { Db, Transaction } from '../platform/database/database.ts';
import { closeFence, shareFence } from '../platform/database/fences.ts';
import { failedExecutionsWith } from '../proposals/queries/proposal-executions.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { stakedPower } from '../votes/queries/voting-powers.ts';
import { type ProposalWithVault, requireReadableProposal } from '../proposals/readable-proposal.ts';
import { requireLockedVault } from '../vaults/require-vault-state.ts';
import { proposalSnapshot, voteSummary } from '../votes/vote-summaries.ts';
import { mayExecute } from './rules/executor-rules.ts';

/** A proposal that can be executed at `at`, and its vault. */
export interface ExecutableProposal extends ProposalWithVault {
  readonly at: Instant;
  /** The tokens of which the cosigning threshold is a share. */
  readonly supply: BaseUnits;
}

/**
 * Keeps a proposal in its execution phase until the unit of work ends. Throws PROPOSAL_NOT_FOUND, EXECUTION_NOT_OPEN,
 * EXECUTION_CLOSED, EXECUTION_UNDER_WAY, VAULT_ALREADY_ENDED, VAULT_NOT_LOCKED, and SERVICE_NOT_READY while no worker has
 * closed its vote. The vault keeps its custody as long. Throws CUSTODY_ROTATING while it does not.
 */
export async function lockExecutableProposal(
  { tx, now }: TransactionContext,
  caller: Caller,
  proposalId: string,
): Promise<ExecutableProposal> {
  // Who may not execute it keeps no vote waiting.
  const { vault } = await requireExecutable(tx, caller, proposalId, now);
  await closeFence(tx, `proposal:${proposalId}`);
  await shareFence(tx, `custody:${vault.id}`);
  return requireExecutable(tx, caller, proposalId, now);
}

/** As `lockExecutableProposal`, without keeping the proposal in its phase. */
export async function requireExecutable(
  db: Db | Transaction,
  caller: Caller,
  proposalId: string,
  now: Instant,
): Promise<ExecutableProposal> {
  const { proposal, vault } = await requireReadableProposal({ db }, caller, proposalId);
  requireAction('execute', proposalSnapshot(proposal, await voteSummary(db, proposal)), now);
  requireLockedVault(vault);
  if (vault.isRotating) throw new ServiceError('CUSTODY_ROTATING');
  return { proposal, vault, at: now, supply: await governingSupplyOf(db, vault) };
}

/** Throws EXECUTOR_NOT_ELIGIBLE for a wallet that has no part in the proposal; `partner` is the buyer or seller. */
export async function requireExecutor(
  tx: Db | Transaction,
  executable: ExecutableProposal,
  executor: WalletAddress,
  partner: string | null,
): Promise<void> {
  const signer = { wallet: executor.address, keyHash: executor.paymentKeyHash };
  if (mayExecute(await cosignerOf(tx, executable, signer), executable, partner)) return;
  throw new ServiceError('EXECUTOR_NOT_ELIGIBLE', { wallet: executor.address });
}

/** Throws PARTNER_REFUSED for a buyer or seller whom the vote did not name after too many failed executions with the same key. */
export async function requirePartner(
  tx: Transaction,
  { proposal: { id, effect } }: ExecutableProposal,
  wallet: string | null,
): Promise<void> {
  if (wallet === null) return;
  const failed = await failedExecutionsWith(tx, [id], paymentKeyHashOf(wallet));
  requirePartnerMayTry(effect, { wallet, failures: failed.get(id) ?? 0 });
}

/** A wallet with the power it has staked in the vault. */
export async function cosignerOf(
  tx: Db | Transaction,
  { vault: { id }, at }: ExecutableProposal,
  { wallet, keyHash }: Signer,
): Promise<Cosigner> {
  return { wallet, keyHash, power: await stakedPower(tx, id, wallet, at) };
}
