import { type AllowedProposalAction, allowedProposalActions } from '../../domain/proposal/allowed-actions.ts';
import { phaseAt, type ProposalPhaseView } from '../../domain/proposal/phase-view.ts';
import { type BaseUnits, baseUnits } from '../../domain/units/money.ts';
import { factTransactions } from '../../store/anchor-facts.ts';

import { endorsingPowers } from '../../store/endorsements.ts';
import type { Closing, Proposal } from '../../store/proposals.ts';

import type { Vault } from '../../store/vaults.ts';
import { stakedPowers } from '../../store/voting-powers.ts';
import { type ExecutionView, viewLastExecutions } from '../executions/view-executions.ts';
import { proposalSnapshot, voteSummaries, type VoteSummary } from '../votes/vote-summaries.ts';
import { participationsOf, type ReadContext } from './participation.ts';
import type { ProposalWithVault } from './readable-proposal.ts';

/** A proposal as the caller sees it at one instant. */
export interface ProposalView {
  readonly proposal: Proposal;
  readonly vault: Vault;
  readonly view: ProposalPhaseView;
  readonly votes: VoteSummary;
  /** Base units of the proposer and all endorsers: when voting opened or, before that, now. */
  readonly endorsed: BaseUnits;
  /** Base units that the proposer has staked now. */
  readonly proposerPower: BaseUnits;
  readonly closing: (Closing & { readonly transactionHash: string }) | null;
  /** The last execution; null when none was frozen. */
  readonly execution: ExecutionView | null;
  readonly allowedActions: readonly AllowedProposalAction[];
}

/** Adds phases, votes and the caller's allowed actions to proposals of one vault. */
export async function viewProposals(
  context: ReadContext,
  vault: Vault,
  proposals: readonly Proposal[],
): Promise<ProposalView[]> {
  const { db, caller, now } = context;
  const proposalIds = proposals.map(({ id }) => id);
  const summaries = await voteSummaries(db, proposals);
  const closings = await closingsOf(context, proposals);
  const executions = await viewLastExecutions(db, proposalIds);
  const unopenedIds = proposals.flatMap(({ id, openedWith }) => (openedWith === null ? [id] : []));
  const endorsing = await endorsingPowers(db, unopenedIds, now);
  const wallets = new Set(proposals.map(({ proposer }) => proposer).concat(caller.wallet ?? []));
  const staked = await stakedPowers(db, vault.id, [...wallets], now);
  const participationIn = await participationsOf(context, vault, proposals, staked);
  return proposals.map((proposal) => {
    const votes = summaries.get(proposal.id);
    if (!votes) throw new Error(`proposal ${proposal.id} has no vote summary`);
    const snapshot = proposalSnapshot(proposal, votes);
    const endorsed = proposal.openedWith ?? endorsing.get(proposal.id) ?? baseUnits(0n);
    const execution = executions.get(proposal.id) ?? null;
    const participation = participationIn({ proposal, endorsed, execution: execution && execution.execution });
    return {
      proposal,
      vault,
      view: phaseAt(snapshot, now),
      votes,
      allowedActions: allowedProposalActions(snapshot, vault, participation, now),
      endorsed,
      proposerPower: staked.get(proposal.proposer) ?? baseUnits(0n),
      closing: closings.get(proposal.id) ?? null,
      execution,
    };
  });
}

export async function viewProposal(
  context: ReadContext,
  { proposal, vault }: ProposalWithVault,
): Promise<ProposalView> {
  const [view] = await viewProposals(context, vault, [proposal]);
  if (!view) throw new Error(`proposal ${proposal.id} has no view`);
  return view;
}

/** The anchored closings of the proposals whose vote was closed, by proposal id. */
async function closingsOf({ db }: Pick<ReadContext, 'db'>, proposals: readonly Proposal[]) {
  const closed = proposals.flatMap(({ id, closing }) => (closing ? [{ id, closing }] : []));
  const factIds = closed.map(({ closing }) => closing.factId);
  const anchors = await factTransactions(db, factIds);
  return new Map(
    closed.map(({ id, closing }) => {
      const anchor = anchors.get(closing.factId);
      if (!anchor) throw new Error(`the closing of proposal ${id} is not anchored`);
      return [id, { ...closing, transactionHash: anchor.hash }];
    }),
  );
}
