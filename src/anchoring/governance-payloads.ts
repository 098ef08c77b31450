import type { JsonValue } from './anchors.ts';
import { type AssetClass, unitOf } from '../assets/rules/asset.ts';
import { isoText } from '../platform/units/instant.ts';
import type { NewProposal, Proposal } from '../proposals/queries/proposals.ts';
import type { NewVote } from '../votes/queries/votes.ts';
import { voteOutcome } from '../votes/rules/outcome.ts';
import type { FinalTally } from '../proposals/queries/stored-proposal.ts';

type MovedAsset = AssetClass & { readonly id: string; readonly quantity: bigint };

// What is anchored of governance. Amounts are base units as text; the words and shapes never change, because proofs are made over them.

/** A proposal as it is voted on, and the assets that it moves: rows alone would say which ones their ids name. */
export function proposalAnchorPayload(proposal: NewProposal, assets: readonly MovedAsset[]): JsonValue {
  const { effect, thresholds, durations } = proposal;
  return {
    kind: 'proposal_created',
    proposalId: proposal.id,
    vaultId: proposal.vaultId,
    proposer: proposal.proposer,
    title: proposal.title,
    description: proposal.description,
    effect: { type: effect.type, assetIds: [...effect.assetIds], terms: asText(effect.terms) },
    assets: assets.map(({ id, quantity, ...asset }) => ({ id, unit: unitOf(asset), quantity: quantity.toString() })),
    thresholds: asText(thresholds),
    durations: { ...durations },
    requiredCosigners: proposal.requiredCosigners,
    createdAt: isoText(proposal.createdAt),
  };
}

export function voteAnchorPayload(vote: NewVote, vaultId: string, replaces: string | null): JsonValue {
  return {
    kind: 'vote_cast',
    voteId: vote.id,
    proposalId: vote.proposalId,
    vaultId,
    wallet: vote.wallet,
    decision: vote.decision,
    amount: vote.amount.toString(),
    replaces,
    castAt: isoText(vote.castAt),
    ...vote.signed,
  };
}

/** The tally of a closed vote with the root of its votes. */
export function tallyAnchorPayload(
  { id: proposalId, vaultId, failureReason, thresholds }: Proposal,
  tally: FinalTally,
  votes: { readonly votes: number; readonly votesRoot: string | null },
): JsonValue {
  const { approve, reject, uniqueVoters: voters, quorumBase, circulating } = tally;
  const conflict = 'asset_in_another_proposal';
  return {
    kind: 'proposal_closed',
    proposalId,
    vaultId,
    outcome: failureReason === conflict ? conflict : voteOutcome({ tally, quorumBase, circulating, thresholds }),
    tally: { approve: approve.toString(), reject: reject.toString(), voters },
    quorumBase: quorumBase.toString(),
    circulating: circulating.toString(),
    ...votes,
  };
}

function asText(fields: object): Record<string, string | null> {
  const entries = Object.entries(fields) as [string, string | bigint | null][];
  return Object.fromEntries(entries.map(([name, field]) => [name, field === null ? null : String(field)]));
}
