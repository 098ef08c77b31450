import { type Caller, mayActFor } from '../access/rules.ts';
import { parseWalletAddress } from '../cardano/scripts/address.ts';
import type { KeyHash, NetworkId } from '../cardano/transaction.ts';
import type { ServiceContext } from '../context.ts';
import type { ExecutionView, Execution } from '../executions/queries.ts';
import { effectRules } from '../executions/rules/effects.ts';
import { type ExecutorSnapshot, isRefusedPartner, mayExecute } from '../executions/rules/execution.ts';
import type { Db, Transaction } from '../platform/database/database.ts';
import type { Page, PageCount } from '../platform/database/page.ts';
import { ServiceError } from '../platform/errors.ts';
import type { Instant } from '../platform/units/time.ts';
import type { BaseUnits } from '../platform/units/money.ts';
import type { ProposalReader } from './queries/participation.ts';
import { type Proposal, findProposal, type Closing } from './queries/proposals.ts';
import {
  type StatusFilter,
  overdueProposals,
  listViewedProposals,
  findViewedProposal,
  type GoverningVault,
  type ViewedProposal,
} from './queries/viewed-proposals.ts';
import {
  type AllowedProposalAction,
  allowedProposalActions,
  type ActionCaller,
  actionsForAnyWallet,
} from './rules/allowed-actions.ts';
import { phaseAt, type ProposalPhaseView } from './rules/phases.ts';
import { type ProposalStatus, type ProposalType, startReached } from './rules/proposal.ts';
import { findVault, type Vault } from '../vaults/queries/vaults.ts';
import { isReadable, readerScope } from '../vaults/require-vault.ts';
import {
  type VotingPosition,
  proposalSnapshot,
  voteSummaries,
  type Count,
  summarize,
  type VoteSummary,
} from '../votes/read-votes.ts';

interface ProposalQuery {
  readonly vaultId: string;
  readonly status: ProposalStatus | undefined;
  readonly type: ProposalType | undefined;
  readonly createdBy: string | undefined;
  readonly page: Page<'createdAt' | 'updatedAt' | 'type' | 'status'>;
}

/** A page of the proposals of a vault at `now`. */
export async function readProposals(
  reading: ServiceContext,
  caller: Caller,
  { vaultId, status, type, createdBy, page }: ProposalQuery,
): Promise<{ proposals: readonly ProposalView[]; count: PageCount; now: Instant }> {
  const { db, networkId } = reading;
  const now = await reading.readingTime();
  const context = { db, networkId, caller, now };
  const listBy = (filter: StatusFilter | undefined) =>
    listViewedProposals(db, { vaultId, type, createdBy, status: filter }, proposalReader(context), page);
  let found = await listBy(status && { status, overdueIds: [], shownIds: [] });
  if (status !== undefined && found?.isOneOverdue) found = await listBy(await statusFilterAt(db, vaultId, status, now));
  if (!found) throw new ServiceError('VAULT_NOT_FOUND');
  return { proposals: await viewProposals(context, found.proposals), count: found.count, now };
}

/** A proposal at `now`, and the voting position of the caller's wallet in it. */
export async function readProposal(
  { db, networkId, readingTime }: ServiceContext,
  caller: Caller,
  proposalId: string,
): Promise<{ proposal: ProposalView; own: VotingPosition | null; now: Instant }> {
  const now = await readingTime();
  const proposal = await readProposalView({ db, networkId, caller, now }, proposalId);
  return { proposal, own: votingPosition(proposal), now };
}

function votingPosition({ own, vault: { terms } }: ProposalView): VotingPosition | null {
  if (own === null) return null;
  const { wallet, countedPower: power, vote } = own;
  return { wallet, power, vote: vote && { ...vote, decimals: terms.ftDecimals } };
}

/** Finds the proposals whose visible status at `now` is `status`, although no worker may have stored it yet. */
async function statusFilterAt(db: Db, vaultId: string, status: ProposalStatus, now: Instant): Promise<StatusFilter> {
  const overdue = await overdueProposals(db, vaultId, now);
  const summaries = await voteSummaries(db, overdue);
  const isShown = (proposal: Proposal) =>
    phaseAt(proposalSnapshot(proposal, summaries.get(proposal.id)), now).status === status;
  const idsOf = (some: readonly Proposal[]) => some.map(({ id }) => id);
  return { status, overdueIds: idsOf(overdue), shownIds: idsOf(overdue.filter(isShown)) };
}

export interface ProposalWithVault {
  readonly proposal: Proposal;
  readonly vault: Vault;
}

/** A proposal with its vault. Throws PROPOSAL_NOT_FOUND, also where the caller may not read the vault (design D8). */
export async function requireReadableProposal(db: Db, caller: Caller, proposalId: string): Promise<ProposalWithVault> {
  const proposal = await findProposal(db, proposalId);
  const vault = proposal && (await findVault(db, proposal.vaultId));
  if (!vault || !(await isReadable(db, caller, vault))) throw new ServiceError('PROPOSAL_NOT_FOUND');
  return { proposal, vault };
}

/** A proposal as the caller sees it at one instant. */
export interface ProposalView extends Pick<ViewedProposal, 'supply' | 'proposerPower' | 'own'> {
  readonly proposal: Proposal;
  readonly vault: GoverningVault;
  readonly view: ProposalPhaseView;
  readonly votes: VoteSummary;
  /** Base units of the proposer and all endorsers: when voting opened or, before that, now. */
  readonly endorsed: BaseUnits;
  readonly closing: (Closing & { readonly transactionHash: string }) | null;
  /** The last execution; null when none was frozen. */
  readonly execution: ExecutionView | null;
  readonly allowedActions: readonly AllowedProposalAction[];
}

/** Adds phases, votes and the caller's allowed actions to proposals of one vault. */
async function viewProposals(context: ReadContext, viewed: readonly ViewedProposal[]): Promise<ProposalView[]> {
  const counts = new Map(viewed.map((one) => [one.proposal.id, countOf(one)]));
  const rivalled = new Set(viewed.filter(({ hasRivals }) => hasRivals).map(({ proposal }) => proposal.id));
  const proposals = viewed.map(({ proposal }) => proposal);
  // Parsed once for all of them.
  const { wallet } = proposalReader(context);
  const reader = { ...context, keyHash: wallet?.keyHash ?? null };
  const summaries = await summarize(context.db, proposals, counts, { hasRivals: ({ id }) => rivalled.has(id) });
  return viewed.map((one) => {
    const { id } = one.proposal;
    const votes = summaries.get(id);
    if (!votes) throw new Error(`proposal ${id} has no vote summary`);
    return viewOf(reader, one, votes);
  });
}

function viewOf(
  context: ReadContext & { readonly keyHash: KeyHash | null },
  viewed: ViewedProposal,
  votes: VoteSummary,
): ProposalView {
  const { proposal, vault, supply, execution, proposerPower, own } = viewed;
  const snapshot = proposalSnapshot(proposal, votes);
  const endorsed = proposal.openedWith ?? viewed.endorsing;
  const caller = participationIn(context, viewed, endorsed);
  const view = phaseAt(snapshot, context.now);
  return {
    proposal,
    vault,
    supply,
    view,
    votes,
    allowedActions: allowedProposalActions(snapshot, vault, caller, context.now),
    endorsed,
    proposerPower,
    closing: closingOf(viewed),
    execution,
    own,
  };
}

function countOf({ proposal: { id, finalTally, thresholds }, open }: ViewedProposal): Count {
  if (finalTally !== null) return { ...finalTally, tally: finalTally, thresholds };
  if (open === null) throw new Error(`the votes of proposal ${id} were not counted`);
  return { ...open, thresholds };
}

function closingOf({ proposal: { id, closing }, closingHash }: ViewedProposal): ProposalView['closing'] {
  if (closing === null) return null;
  if (closingHash === null) throw new Error(`the closing of proposal ${id} is not anchored`);
  return { ...closing, transactionHash: closingHash };
}

/** A proposal as the caller sees it. Throws PROPOSAL_NOT_FOUND, also where the caller may not read the vault (design D8), and UnreadableRow. */
export async function readProposalView(context: ReadContext, proposalId: string): Promise<ProposalView> {
  const viewed = await findViewedProposal(context.db, proposalId, proposalReader(context));
  const [view] = viewed ? await viewProposals(context, [viewed]) : [];
  if (!view) throw new ServiceError('PROPOSAL_NOT_FOUND');
  return view;
}

/** Who reads proposals, and at which instant. */
interface ReadContext {
  readonly db: Db | Transaction;
  readonly networkId: NetworkId;
  readonly caller: Caller;
  readonly now: Instant;
}

/** What the statements that read proposals have to know about their reader. */
function proposalReader({ networkId, caller, now }: Omit<ReadContext, 'db'>): ProposalReader {
  const { wallet: address } = caller;
  const wallet = address === null ? null : { address, keyHash: parseWalletAddress(address, networkId).paymentKeyHash };
  return { scope: readerScope(caller), wallet, now };
}

/** How the caller, whose wallet has the payment key `keyHash`, participates in a proposal; `endorsed` are the base units of the proposer and all endorsers. */
function participationIn(
  { caller, keyHash }: Pick<ReadContext, 'caller'> & { readonly keyHash: KeyHash | null },
  { proposal, vault, supply, execution, own }: ViewedProposal,
  endorsed: BaseUnits,
): ActionCaller {
  if (own === null || keyHash === null) return { forAnyWallet: actionsForAnyWallet(caller) };
  const { wallet, staked: power } = own;
  const { proposer, thresholds } = proposal;
  const opensVoting = startReached({ power: endorsed, supply, threshold: thresholds.start });
  return {
    endorsing: { power, isNew: wallet !== proposer && !own.hasEndorsed, opensVoting },
    votingPower: own.votingPower,
    vote: own.lastVote,
    mayCancel: mayActFor(caller, cancellingWallet(caller, proposal, vault)),
    executing: {
      hasPart: mayExecute({ wallet, keyHash, power }, { proposal, vault, supply }, null),
      isRefusedPartner: isRefusedPartner(proposal.effect, own.failedExecutions),
      ...partnership(wallet, proposal, execution && execution.execution),
    },
  };
}

/**
 * The wallet in whose name the caller cancels a proposal: the vault's admin if that is the caller, else the proposer. While the holders
 * of a vault that ends sell what is left, its admin cannot keep them from it.
 */
export function cancellingWallet(
  { wallet }: Caller,
  { proposer }: Proposal,
  { createdBy, claimsOpen }: Pick<Vault, 'createdBy' | 'claimsOpen'>,
): string {
  return wallet === createdBy && !claimsOpen ? createdBy : proposer;
}

/** Whether `wallet` is the buyer, seller or holder: of a new execution, whose partner the vote may leave open, and of the frozen one. */
function partnership(
  wallet: string,
  { effect }: Proposal,
  execution: Execution | null,
): Pick<ExecutorSnapshot, 'isPartner' | 'frozen'> {
  const partner = effectRules[effect.type].partner({ approved: effect, requested: effect, executor: wallet });
  const frozen = execution?.status === 'FROZEN' ? execution : null;
  return {
    isPartner: partner === wallet,
    frozen: frozen && { isOwn: frozen.frozenBy === wallet, isPartner: frozen.partner?.wallet === wallet },
  };
}
