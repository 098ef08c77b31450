import type { ServiceContext } from '../context.ts';
import { isVaultInQuarantine } from '../ledger-follower/queries/quarantine.ts';
import { decodeRows } from '../platform/database/decode-rows.ts';
import { lockExclusive } from '../platform/database/locks.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import type { TerminationStage } from '../platform/temporal/activity-types.ts';
import { proposalWorkflowId } from '../platform/temporal/workflow-ids.ts';
import { enqueueWorkflowMessage } from '../platform/temporal/workflow-outbox.ts';
import type { Instant } from '../platform/units/time.ts';
import { voidFrozenExecution } from '../proposals/cancel-proposal.ts';
import { endAsFailed, releaseStakesOf } from '../proposals/phases.ts';
import {
  setFinalTally,
  headOfProposal,
  type ProposalRow,
  proposalRows,
  readProposal,
} from '../proposals/queries/proposals.ts';
import { liveProposalIds } from '../proposals/queries/viewed-proposals.ts';
import { claimsEnd, endClaims } from './pot.ts';
import { openClaimsOf } from './open-claims.ts';
import { isLeftToClose, leftToGather, assetsToHand, remainderOf } from './prepare-transactions.ts';
import { getTermination, type Termination } from './queries/terminations.ts';
import { isAnyOnLedger, type VaultActivityInput } from './termination-transactions.ts';
import { isAnySent, vaultTransactions } from '../transactions/queries/listed-transactions.ts';
import { isOnLedger, isOpen, type TransactionKind } from '../transactions/rules.ts';
import { getVault, type Vault, lockVaultRow } from '../vaults/queries/vaults.ts';
import { transitionVault } from '../vaults/transitions.ts';
import { countVotes } from '../votes/read-votes.ts';
import type { WorkerContext } from '../worker-context.ts';

/**
 * Takes the steps of the end of a vault that need no transaction, and returns the step that it is in. What is done is read from Postgres
 * and the ledger each time, so it can be repeated after a crash or a rollback.
 */
export async function advanceTermination(context: WorkerContext, input: VaultActivityInput): Promise<TerminationStage> {
  const vault = await getVault(context.db, input.vaultId);
  const reason = vault.terminationReason ?? vault.failedBecause;
  // The LIQUIDATE was rolled back and can no longer be confirmed: the vault is governed as before.
  if (reason === null) return { step: 'settlement', prepares: false, until: null, reason: 'liquidated' };
  return { prepares: false, until: null, ...(await stageOf(context, vault, input)), reason };
}

type Stage = Pick<TerminationStage, 'step'> & Partial<TerminationStage>;

async function stageOf(context: WorkerContext, vault: Vault, input: VaultActivityInput): Promise<Stage> {
  if (vault.status === 'TERMINATED') return { step: 'ended' };
  if (vault.status !== 'LOCKED') return { step: 'settlement' };
  const { claimsOpenedAt } = await getTermination(context.db, vault.id);
  const gathering = claimsOpenedAt === null ? await stageBeforeClaims(context, vault, input) : null;
  return gathering ?? (await stageOfClaims(context, vault, input)) ?? stageAfterClaims(context, vault, input);
}

/** Null once the claims are open. */
async function stageBeforeClaims(
  context: WorkerContext,
  vault: Vault,
  input: VaultActivityInput,
): Promise<Stage | null> {
  if (!(await endProposals(context, input))) return { step: 'end_proposals' };
  // What a rotation has not moved yet could not be gathered.
  if (vault.isRotating) return { step: 'end_proposals', waitsFor: 'rotation' };
  const gathering = await stepWith(context, vault, 'gather_pot', async () => {
    return (await leftToGather(context, vault)) !== null;
  });
  if (gathering) return gathering;
  const handing = await handOverStage(context, vault, await getTermination(context.db, vault.id));
  if (handing) return handing;
  return (await openClaimsOf(context, vault.id)) ? null : { step: 'gather_pot' };
}

/** Null once the claims are over. */
async function stageOfClaims(context: WorkerContext, vault: Vault, input: VaultActivityInput): Promise<Stage | null> {
  const termination = await getTermination(context.db, vault.id);
  if (termination.endedBecause !== null) return null;
  const end = await claimsEnd(context.db, termination, input.now);
  if (end === null) return { step: 'claims', until: termination.claimDeadline };
  // What holders have decided to sell until then is sold, if it was sent, and who has signed a claim is paid.
  const isDecided = await endProposals(context, input);
  if (!isDecided || (await awaitsClaims(context, termination))) return { step: 'claims' };
  const isOver = await context.unitOfWork((work) => endClaims({ ...work, now: input.now }, vault));
  return isOver ? null : stageOfClaims(context, vault, input);
}

/** Claims that follow one another do not keep a vault from ending when they can continue afterwards. */
async function awaitsClaims({ db }: WorkerContext, { vaultId, unclaimedLovelaceTo, pot }: Termination) {
  return (unclaimedLovelaceTo !== null || pot.lovelace === 0n) && (await isAnySent(db, vaultId, ['claim']));
}

async function stageAfterClaims(context: WorkerContext, vault: Vault, input: VaultActivityInput): Promise<Stage> {
  const handing = await handOverStage(context, vault, await getTermination(context.db, vault.id));
  if (handing) return handing;
  // With the ADA that lay with what was handed over.
  const termination = await getTermination(context.db, vault.id);
  // What a rollback brings back later is no second remainder.
  const remainder = await stepWith(context, vault, 'pay_remainder', async () => {
    return remainderOf(termination) !== null && !(await isAnyOnLedger(context, vault, 'pay_remainder'));
  });
  if (remainder) return remainder;
  const closing = await stepWith(context, vault, 'close_vault', async () => {
    return !(await isAnyOnLedger(context, vault, 'close_vault')) && (await isLeftToClose(context, vault, input.now));
  });
  return closing ?? closeVault(context, vault, input);
}

function handOverStage(context: WorkerContext, vault: Vault, termination: Termination): Promise<Stage | null> {
  return stepWith(context, vault, 'hand_over', async () => {
    return (await assetsToHand(context, vault, termination)).length > 0;
  });
}

/** A step while it has a transaction to prepare, or one that is not final; then null. */
async function stepWith(
  { db }: WorkerContext,
  { id }: Vault,
  step: TransactionKind & TerminationStage['step'],
  isLeft: () => boolean | Promise<boolean>,
): Promise<Stage | null> {
  const open = (await vaultTransactions(db, id, [step])).filter(({ state }) => isOpen(state));
  if (open.some(({ state }) => !isOnLedger(state)) || (await isLeft())) return { step, prepares: true };
  return open.length > 0 ? { step } : null;
}

type Context = Pick<ServiceContext, 'db' | 'unitOfWork' | 'onUnreadable'>;

/**
 * Ends the live proposals of a vault that ends. Returns whether none is left, and no execution can change what the vault holds: one
 * that was sent is confirmed first, or can no longer be confirmed.
 */
export async function endProposals(
  { db, unitOfWork, onUnreadable }: Context,
  { vaultId, now }: { readonly vaultId: string; readonly now: Instant },
): Promise<boolean> {
  for (const proposalId of await liveProposalIds(db, vaultId))
    await unitOfWork((work) => endProposal({ ...work, now, onUnreadable }, proposalId));
  return (await liveProposalIds(db, vaultId)).length === 0 && !(await isAnySent(db, vaultId, ['execute']));
}

const cause = 'vault_ending';

type EndContext = TransactionContext & Pick<ServiceContext, 'onUnreadable'>;

/** One that cannot be read ends, too: the vault would not. Its end needs no more than its status, and whether its execution was sent. */
async function endProposal(context: EndContext, proposalId: string): Promise<void> {
  const { tx } = context;
  await lockExclusive(tx, `proposal:${proposalId}`);
  const [row] = await proposalRows(tx, [proposalId]);
  if (!row) return;
  const proposal = headOfProposal(row);
  if (proposal.executionSent || proposal.status === 'FAILED' || proposal.status === 'EXECUTED') return;
  if (proposal.status === 'ACTIVE') await setTallyAtEnd(context, row);
  await voidFrozenExecution(context, proposal, { cause, note: 'the vault ends' });
  await endAsFailed(context, proposal, cause);
  await releaseStakesOf(context, proposalId);
  const signal = { kind: 'signal', signal: 'cancelRequested' } as const;
  await enqueueWorkflowMessage(context, proposalWorkflowId(proposalId), signal);
}

/** The votes on a proposal that cannot be read stay uncounted: they decide nothing any more. */
async function setTallyAtEnd({ tx, onUnreadable }: EndContext, row: ProposalRow): Promise<void> {
  for (const proposal of decodeRows([row], readProposal, onUnreadable)) {
    const { tally, quorumBase, circulating } = await countVotes(tx, proposal);
    await setFinalTally(tx, proposal.id, { ...tally, quorumBase, circulating });
  }
}

/** Terminates a vault whose last transaction is final; it waits while an effect is in quarantine. */
function closeVault(
  { unitOfWork }: WorkerContext,
  { id }: Pick<Vault, 'id'>,
  { now }: VaultActivityInput,
): Promise<Pick<TerminationStage, 'step'>> {
  return unitOfWork(async (work) => {
    const context = { ...work, now };
    const vault = await lockVaultRow(context.tx, id);
    if (await isVaultInQuarantine(context.tx, id)) return { step: 'close_vault' };
    if (vault.status === 'LOCKED' && vault.failedBecause !== null)
      await transitionVault(context, vault, { status: 'TERMINATED', terminationReason: vault.failedBecause });
    return { step: 'ended' };
  });
}
