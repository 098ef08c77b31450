import type { AnchoringContext } from '../anchoring/anchors.ts';
import { voteAnchorPayload, largeMerkleTree, tallyAnchorPayload } from '../anchoring/facts.ts';
import type { AnchoredActionQuota, ServiceContext } from '../context.ts';
import { type AuditedAction, publishAll } from '../events/publish.ts';
import type { NewEvent } from '../events/queries/events.ts';
import { decodeRows, type OnUnreadable, type UnreadableRow } from '../platform/database/decode-rows.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { ServiceError } from '../platform/errors.ts';
import type { Instant } from '../platform/units/time.ts';
import type { BaseUnits } from '../platform/units/money.ts';
import { countAnchoredActions } from '../proposals/create-proposal.ts';
import { type LiveVote, liveLeaves } from '../proposals/queries/proposal-votes.ts';
import { getProposal, setClosing } from '../proposals/queries/proposals.ts';
import type { ProposalPhases } from '../proposals/rules/phases.ts';
import { readStake, type StakeRow } from '../staking/queries/stakes.ts';
import { insertVotes, type NewVote, revokeVotes } from './queries/votes.ts';
import { addStakeUses, type StakeUsed, updateStakeUses } from './queries/voting-powers.ts';
import { allocateVote, type StakeUse } from './rules.ts';
import type { AcceptedVote, VoteInput } from './vote-input.ts';
import { loadVotingState, refusalOf, voteKey, type VotingState } from './voting-state.ts';
import type { WorkerContext } from '../worker-context.ts';

export interface VoteCast {
  readonly vote: NewVote;
  readonly transactionHash: string;
}

type ValidVote = Omit<AcceptedVote, 'replaces'>;

/**
 * Records votes that arrived together, with a constant number of statements. The close of a vote and this unit of work exclude
 * each other. The results are in the order of the inputs. A refused vote refuses no other one: its result is a ServiceError
 * VOTING_NOT_OPEN, VOTING_CLOSED, NOT_STAKED_AT_SNAPSHOT, INSUFFICIENT_VOTING_POWER, VOTE_NONCE_USED or FREE_ACTIONS_USED_UP, and
 * SYSTEM_ERROR for one that needs a row that cannot be read.
 */
export async function castVotes(
  context: AnchoringContext,
  limit: AnchoredActionQuota & Pick<ServiceContext, 'onUnreadable'>,
  inputs: readonly VoteInput[],
): Promise<(VoteCast | ServiceError)[]> {
  const state = await loadVotingState(context, inputs);
  const validating = { ...context, ...limit };
  const valid = refuseUsedNonces(
    inputs.map((input) => validateVote(validating, input, state)),
    state,
  );
  const validated = await countVoteChanges(context, limit, valid, state);
  const accepted = replaceEarlierVotes(validated, state.liveVotes, context.now);
  const transactionHash = accepted.length === 0 ? '' : await recordVotes(context, state, accepted);
  return validated.map((one) => (one instanceof ServiceError ? one : { vote: one.vote, transactionHash }));
}

/** Stores the accepted votes and revokes those they replace. Returns the hash of the anchor transaction. */
async function recordVotes(
  context: AnchoringContext,
  state: VotingState,
  accepted: readonly AcceptedVote[],
): Promise<string> {
  const { tx } = context;
  const replaced = new Set(accepted.map(({ replaces }) => replaces));
  const votes = accepted.map(({ vote }) => vote);
  const revoked = state.liveVotes.filter(({ id }) => replaced.has(id));
  await revokeVotes(context, revoked);
  await insertVotes(tx, votes);
  await recordStakeUses(context, state, accepted);
  return publishVotes(context, accepted);
}

function validateVote(
  { ids, now, onUnreadable }: TransactionContext & Pick<ServiceContext, 'onUnreadable'>,
  input: VoteInput,
  { proposals, stakesByVoter }: VotingState,
): ValidVote | ServiceError {
  const { proposalId, vaultId, decision, amount, signed } = input;
  const proposal = proposals.get(proposalId) ?? new ServiceError('PROPOSAL_NOT_FOUND');
  if (proposal instanceof ServiceError) return proposal;
  if (proposal.phases === null) return new ServiceError('VOTING_NOT_OPEN');
  const wallet = input.voter.address;
  try {
    const stakes = stakesByVoter.get(voteKey(vaultId, wallet)) ?? [];
    const uses = allocateReadable(amount, stakes, proposal.phases, onUnreadable);
    const vote = { id: ids.next(), proposalId, wallet, decision, amount, uses, castAt: now, revokedAt: null, signed };
    return { input, vote };
  } catch (error) {
    return refusalOf(error);
  }
}

/** As `allocateVote`, of the stakes that can be read. Throws UnreadableRow if that is too little, and another one cannot be read. */
function allocateReadable(
  amount: BaseUnits,
  rows: readonly StakeRow[],
  phases: ProposalPhases,
  onUnreadable: OnUnreadable,
): readonly StakeUse[] {
  const unreadable: UnreadableRow[] = [];
  const stakes = decodeRows(rows, readStake, (error) => {
    onUnreadable(error);
    unreadable.push(error);
  });
  try {
    return allocateVote(amount, stakes, phases);
  } catch (error) {
    throw unreadable[0] ?? error;
  }
}

/** Refuses a signature whose nonce an earlier vote used, so that nobody can submit an old signed vote again. */
function refuseUsedNonces(
  votes: readonly (ValidVote | ServiceError)[],
  { nonces }: VotingState,
): (ValidVote | ServiceError)[] {
  const used = new Map(nonces.map(({ id, proposalId, wallet, nonce }) => [voteKey(proposalId, wallet, nonce), id]));
  return votes.map((one) => {
    if (one instanceof ServiceError || one.vote.signed === null) return one;
    const { id, proposalId, wallet, signed } = one.vote;
    const key = voteKey(proposalId, wallet, signed.nonce);
    const voteId = used.get(key);
    if (voteId !== undefined) return new ServiceError('VOTE_NONCE_USED', { voteId });
    used.set(key, id);
    return one;
  });
}

/** Counts the votes that replace one of an earlier batch, and refuses those of wallets that change their votes too often. */
async function countVoteChanges(
  context: TransactionContext,
  limit: AnchoredActionQuota,
  votes: readonly (ValidVote | ServiceError)[],
  { liveVotes }: VotingState,
): Promise<readonly (ValidVote | ServiceError)[]> {
  const live = new Set(liveVotes.map(({ proposalId, wallet }) => voteKey(proposalId, wallet)));
  const changes = votes.filter((one): one is ValidVote => {
    return !(one instanceof ServiceError) && live.has(voteKey(one.vote.proposalId, one.vote.wallet));
  });
  const wallets = changes.map(({ vote }) => vote.wallet);
  const counted = await countAnchoredActions(context, limit, { wallets, kind: 'vote_change' });
  const refusals = new Map<ValidVote | ServiceError, ServiceError | null>(
    changes.map((change, index) => [change, counted[index] ?? null]),
  );
  return votes.map((one) => refusals.get(one) ?? one);
}

/** Of several votes of one wallet on one proposal only the last one stays live; the others are stored as revoked. */
function replaceEarlierVotes(
  votes: readonly (ValidVote | ServiceError)[],
  live: readonly LiveVote[],
  now: Instant,
): AcceptedVote[] {
  const latest = new Map(live.map(({ id, proposalId, wallet }) => [voteKey(proposalId, wallet), id]));
  const accepted = votes.flatMap((one): AcceptedVote[] => {
    if (one instanceof ServiceError) return [];
    const { input, vote } = one;
    const key = voteKey(vote.proposalId, vote.wallet);
    const replaces = latest.get(key) ?? null;
    latest.set(key, vote.id);
    return [{ input, vote, replaces }];
  });
  const stillLive = new Set(latest.values());
  return accepted.map((one) => (stillLive.has(one.vote.id) ? one : { ...one, vote: { ...one.vote, revokedAt: now } }));
}

/** Computes again what the wallets use that replace a vote; what the others use is added, which is cheaper. */
async function recordStakeUses(
  context: TransactionContext,
  { proposals, stakes }: VotingState,
  accepted: readonly AcceptedVote[],
): Promise<void> {
  const replacing = new Set(accepted.flatMap(({ vote, replaces }) => (replaces === null ? [] : [vote.wallet])));
  const added = accepted.flatMap(({ vote: { wallet, proposalId, uses } }): StakeUsed[] => {
    const proposal = proposals.get(proposalId);
    if (replacing.has(wallet) || !proposal || proposal instanceof ServiceError || !proposal.phases) return [];
    const until = proposal.phases.execution.endsAt;
    return uses.map((use) => ({ ...use, until }));
  });
  if (added.length > 0) await addStakeUses(context, added);
  const changed = stakes.filter(({ wallet }) => replacing.has(wallet)).map(({ id }) => id);
  if (changed.length > 0) await updateStakeUses(context, changed);
}

/** Anchors votes and publishes their events and audit entries. Returns the hash of the anchor transaction. */
async function publishVotes(context: AnchoringContext, accepted: readonly AcceptedVote[]): Promise<string> {
  const payloads = accepted.map(({ input: { vaultId }, vote, replaces }) => ({
    factId: vote.id,
    vaultId,
    fact: voteAnchorPayload(vote, vaultId, replaces),
  }));
  const transactionHash = await context.anchor(...payloads);
  await publishAll(
    context,
    accepted.map((one) => ({ event: voteCastEvent(one, transactionHash), audit: voteCastAudit(one, transactionHash) })),
  );
  return transactionHash;
}

function voteCastEvent({ input, vote, replaces }: AcceptedVote, transactionHash: string): NewEvent {
  const { vaultId, correlationId } = input;
  const { id: voteId, proposalId, decision, amount } = vote;
  const data = { voteId, proposalId, decision, amountBaseUnits: amount.toString(), replaces };
  return { type: 'VOTE_CAST', vaultId, actor: vote.wallet, transactionHash, correlationId, data };
}

function voteCastAudit({ input: { caller, voter }, vote }: AcceptedVote, transactionHash: string): AuditedAction {
  return {
    action: 'VOTE_CAST',
    resource: { type: 'vote', id: vote.id },
    caller,
    onBehalfOf: voter.onBehalfOf,
    metadata: { proposalId: vote.proposalId, transactionHash },
  };
}

/**
 * Anchors the tally of a closed vote with the root of its votes; nothing for a proposal that was never voted on. Safe to
 * repeat: the votes of a closed proposal never change, and only the first tally is anchored.
 */
export async function anchorTally(
  { db, ids, anchors }: Pick<WorkerContext, 'db' | 'ids' | 'anchors'>,
  proposalId: string,
): Promise<void> {
  const proposal = await getProposal(db, proposalId);
  const { vaultId, finalTally } = proposal;
  if (finalTally === null || proposal.closing !== null) return;
  const leaves = await liveLeaves(db, proposalId);
  const votesRoot = leaves.length === 0 ? null : (await largeMerkleTree(leaves)).root;
  const closing = { factId: ids.next(), votesRoot };
  const fact = tallyAnchorPayload(proposal, finalTally, { votesRoot, votes: leaves.length });
  await anchors.record(async (context) => {
    const isFirst = await setClosing(context.tx, proposalId, closing);
    if (isFirst) await context.anchor({ factId: closing.factId, vaultId, fact });
  });
}
