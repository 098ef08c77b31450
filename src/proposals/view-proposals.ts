import type { KeyHash } from '../cardano/transaction.ts';
import { type AllowedProposalAction, allowedProposalActions } from './rules/allowed-actions.ts';
import { phaseAt, type ProposalPhaseView } from './rules/phase-view.ts';
import { ServiceError } from '../platform/errors/errors.ts';
import type { BaseUnits } from '../platform/units/money.ts';
import type { Closing, Proposal } from './queries/proposals.ts';
import type { ExecutionView } from '../executions/queries/viewed-executions.ts';
import { findViewedProposal, type GoverningVault, type ViewedProposal } from './queries/viewed-proposals.ts';
import { type Count, proposalSnapshot, summarize, type VoteSummary } from '../votes/vote-summaries.ts';
import { participationIn, proposalReader, type ReadContext } from './participation.ts';

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
export async function viewProposals(context: ReadContext, viewed: readonly ViewedProposal[]): Promise<ProposalView[]> {
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
