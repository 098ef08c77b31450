import { canonicalJson, type Hash, leafOf, merkleTree } from '../../anchoring/rules/merkle.ts';
import type { Steps } from '../../platform/states.ts';
import { refText } from '../../transactions/rules.ts';
import type { TerminationTerms, VaultTerms } from '../../vaults/rules/vault.ts';
import type { DistributionInput } from './distribution.ts';
import type { PlannedShare } from './deposits.ts';

/** The terms of a vault that say who gets what of it, when it settles and when it ends. */
export interface CommittedTerms extends Pick<DistributionInput, 'supply' | 'ftPercentage' | 'lpPercentage'> {
  readonly termination: TerminationTerms;
}

/** Who gets what when a vault settles, and the terms that decided it. */
export interface SettlementPlan {
  readonly terms: CommittedTerms;
  readonly shares: readonly PlannedShare[];
}

/** What the mint of a vault's tokens records of it on the ledger. */
export interface PlanCommitment {
  /** The leaf of the terms, in hex. */
  readonly terms: string;
  /** Merkle root of that leaf and, sorted by their texts, those of the shares; in hex. */
  readonly root: string;
  /** How many shares. */
  readonly shares: number;
}

/** Leaves of one step. A power of two, so that each group is a complete subtree. */
const GROUP = 16;

/**
 * The commitment to a plan, after steps of little work each: other work of a process can run between them. The texts never change: a
 * settlement that has begun is evaluated by them.
 */
export function* commitmentSteps(hash: Hash, { terms, shares }: SettlementPlan): Steps<PlanCommitment> {
  const header = commitmentToTerms(hash, terms);
  const texts: string[] = [];
  for (const share of shares) {
    texts.push(shareText(share));
    yield;
  }
  const leaves = [header];
  for (const text of texts.sort()) {
    leaves.push(leafOf(hash, text));
    yield;
  }
  const roots: string[] = [];
  for (let from = 0; from < leaves.length; from += GROUP) {
    roots.push(merkleTree(hash, leaves.slice(from, from + GROUP)).root);
    yield;
  }
  return { terms: header, root: merkleTree(hash, roots).root, shares: shares.length };
}

/** The leaf of the terms, as a mint commits to it. What was not decided is empty. */
export function commitmentToTerms(hash: Hash, { termination, ...distribution }: CommittedTerms): string {
  const { supply, ftPercentage, lpPercentage } = distribution;
  const shares = { supply, ftPercentage, lpPercentage };
  return leafOf(hash, textOf({ kind: 'settlement_terms', ...shares, ...endOf(termination) }));
}

/** The terms that a vault has from its creation on, and that decide who gets what of it. */
export type CreationTerms = Pick<
  VaultTerms,
  'ftSupply' | 'ftDecimals' | 'ftPercentage' | 'lpPercentage' | 'reserve' | 'floorPricePercentage' | 'maxShare'
> & { readonly termination: TerminationTerms };

/** The leaf of these terms, as the creation of a vault commits to it. The text never changes: vaults of before settle by it. */
export function commitmentToCreation(hash: Hash, terms: CreationTerms): string {
  const { ftSupply: supply, ftDecimals: decimals, ftPercentage, lpPercentage } = terms;
  const { reserve, floorPricePercentage, maxShare, termination } = terms;
  const shares = { supply, decimals, ftPercentage, lpPercentage, reserve, floorPricePercentage, maxShare };
  return leafOf(hash, textOf({ kind: 'vault_terms', ...shares, ...endOf(termination) }));
}

/** What does not change of how a vault ends. */
function endOf(termination: TerminationTerms) {
  const { remainingAssetsTo = '', unclaimedLovelaceTo = '', claimSeconds = '' } = termination;
  const endsAfter = termination.type === 'PROGRAMMED' ? termination.duration : '';
  return { endsAfter, remainingAssetsTo, unclaimedLovelaceTo, claimSeconds };
}

/** As `textOf`, with the names in their order already: there are thousands. */
function shareText({ deposit, owner, ...amounts }: PlannedShare): string {
  const [ft, invested, lovelace, value] = [amounts.ft, amounts.invested, amounts.lovelace, amounts.value].map(String);
  return JSON.stringify({ deposit: refText(deposit), ft, invested, kind: 'planned_share', lovelace, owner, value });
}

/** Canonical JSON with amounts as text. */
function textOf(fields: Readonly<Record<string, string | bigint | number>>): string {
  return canonicalJson(Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, String(field)])));
}
