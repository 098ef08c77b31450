import { canonicalJson } from '../anchor/canonical-json.ts';
import { type Hash, leafOf, merkleTree } from '../anchor/merkle.ts';
import { refText } from '../transaction/utxo-ref.ts';
import type { TerminationTerms } from '../vault/vault.ts';
import type { DistributionInput } from './distribution-input.ts';
import type { PlannedShare } from './owed-delivery.ts';

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

/** The commitment to a plan. The texts never change: a settlement that has begun is judged by them. */
export function commitmentTo(hash: Hash, { terms, shares }: SettlementPlan): PlanCommitment {
  const header = commitmentToTerms(hash, terms);
  const texts = shares.map(shareText).sort();
  const { root } = merkleTree(hash, [header, ...texts.map((text) => leafOf(hash, text))]);
  return { terms: header, root, shares: shares.length };
}

/** The leaf of the terms, as a mint commits to it. What was not decided is empty. */
export function commitmentToTerms(hash: Hash, { termination, ...distribution }: CommittedTerms): string {
  const { supply, ftPercentage, lpPercentage } = distribution;
  const { remainingAssetsTo = '', unclaimedLovelaceTo = '', claimSeconds = '' } = termination;
  const endsAfter = termination.type === 'PROGRAMMED' ? termination.duration : '';
  const end = { endsAfter, remainingAssetsTo, unclaimedLovelaceTo, claimSeconds };
  return leafOf(hash, textOf({ kind: 'settlement_terms', supply, ftPercentage, lpPercentage, ...end }));
}

function shareText({ deposit, owner, invested, value, ft, lovelace }: PlannedShare): string {
  return textOf({ kind: 'planned_share', deposit: refText(deposit), owner, invested, value, ft, lovelace });
}

/** Canonical JSON with amounts as text. */
function textOf(fields: Readonly<Record<string, string | bigint | number>>): string {
  return canonicalJson(Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, String(field)])));
}
