import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { blake2b256 } from '../cardano/blake2b.ts';
import { canonicalJson, leafOf, type MerkleTree, merkleTree, type PathStep } from './rules/merkle.ts';
import { type AssetClass, unitOf } from '../assets/rules/asset.ts';
import { evictOldest } from '../platform/async.ts';
import { isoText } from '../platform/units/time.ts';
import { voteOutcome } from '../votes/rules.ts';
import type { AnchoredFact } from './queries/anchor-batches.ts';
import type { NewProposal, Proposal, FinalTally } from '../proposals/queries/proposals.ts';
import type { NewVote } from '../votes/queries/votes.ts';

/** A JSON value; a fact is anchored as its canonical text (RFC 8785). */
export type JsonValue =
  string | number | boolean | null | readonly JsonValue[] | { readonly [name: string]: JsonValue | undefined };

/** A fact that moves no value and is anchored on the ledger, so that anyone can check it. */
export interface AnchorPayload {
  /** UUID; the proof is read by it. */
  readonly factId: string;
  /** Only readers of this vault may read the proof; null = everyone may. */
  readonly vaultId: string | null;
  readonly fact: JsonValue;
}

/** The text of a fact, and its leaf in the Merkle tree of its batch. */
export function hashedFact({ factId, vaultId, fact }: AnchorPayload): AnchoredFact {
  const text = canonicalJson(fact);
  return { factId, vaultId, text, leaf: leafOf(blake2b256, text) };
}

/** Hashing so many leaves blocks the event loop for about 2 ms. A power of two, so that each group of leaves is a complete subtree. */
const SUBTREE_LEAVES = 64;

/** As `merkleTree`, but other work of the process can run in between. Throws RangeError without leaves and for text that is not hex. */
export async function largeMerkleTree(leaves: readonly string[]): Promise<MerkleTree> {
  const subtreeAt = (first: number) => merkleTree(blake2b256, leaves.slice(first, first + SUBTREE_LEAVES));
  const roots: string[] = [];
  for (let first = 0; first < leaves.length; first += SUBTREE_LEAVES) {
    roots.push(subtreeAt(first).root);
    await yieldToEventLoop();
  }
  const top = merkleTree(blake2b256, roots);
  return {
    root: top.root,
    pathOf(index) {
      const place = index % SUBTREE_LEAVES;
      const above = top.pathOf((index - place) / SUBTREE_LEAVES);
      return [...subtreeAt(index - place).pathOf(place), ...above];
    },
  };
}

/** Finds the path of a fact, from its leaf to the root of its batch. */
export type BatchPaths = (fact: {
  readonly batchId: string;
  readonly position: number;
}) => Promise<readonly PathStep[]>;

/** Each has at most 5,000 leaves, some 500 kB; most have a few. */
const MAX_CACHED_BATCHES = 50;

/** Caches the trees of batches, which never change: after a vote, everybody reads a path in the same few. */
export function createBatchPaths(readLeaves: (batchId: string) => Promise<readonly string[]>): BatchPaths {
  const cache = new Map<string, Promise<MerkleTree>>();
  return async ({ batchId, position }) => {
    const tree = cache.get(batchId) ?? readLeaves(batchId).then(largeMerkleTree);
    cache.set(batchId, tree);
    evictOldest(cache, MAX_CACHED_BATCHES);
    tree.catch(() => cache.delete(batchId));
    return (await tree).pathOf(position);
  };
}

type MovedAsset = AssetClass & { readonly id: string; readonly quantity: bigint };

// The facts of governance. Amounts are base units as text; the words and shapes never change, because proofs are made over them.

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
