import type { ProposalEffect } from '../../../proposals/rules/effect.ts';
import type { AnchoredFact, ExecutionEvidence } from '../../evidence.ts';
import { type Judged, requireJust } from '../../judged.ts';

/**
 * What is executed was anchored when it was proposed, and so was its vote when it was closed, both long enough ago. Whoever writes Postgres
 * can have forged facts anchored, but not in the past: until then everybody sees the proposal. An anchor may be late, so
 * that half of the shortest phases is enough.
 */
export function judgeVote({ slot }: Judged, { proposalId, approved, assets, vote }: ExecutionEvidence): void {
  const { vaultId, created, closed, shortest } = vote;
  const isOf = ({ fact }: AnchoredFact, kind: string) =>
    fact['kind'] === kind && fact['proposalId'] === proposalId && fact['vaultId'] === vaultId;
  requireJust(isOf(created, 'proposal_created'), 'another proposal was anchored');
  requireJust(isSame(created.fact['effect'], approved), 'something else was anchored when it was proposed');
  requireAnchoredAssets(created, assets);
  requireJust(isOf(closed, 'proposal_closed'), 'the end of another vote was anchored');
  requireJust(closed.fact['outcome'] === 'passed', 'its vote did not pass it');
  requireJust(slot - created.slot >= (shortest.voting + shortest.lock) / 2, 'it was proposed too short a time ago');
  requireJust(slot - closed.slot >= shortest.lock / 2, 'its vote ended too short a time ago');
}

/** Throws unless what moves are the assets that the ids of the effect named when it was proposed, whatever their rows have come to say. */
function requireAnchoredAssets({ fact }: AnchoredFact, assets: ExecutionEvidence['assets']): void {
  const named = fact['assets'] as readonly { readonly unit: string; readonly quantity: string }[] | undefined;
  requireJust(named !== undefined, 'its assets were not anchored when it was proposed');
  for (const [unit, quantity] of assets) {
    const most = named.filter((asset) => asset.unit === unit).reduce((sum, one) => sum + BigInt(one.quantity), 0n);
    requireJust(quantity <= most, `${quantity} of ${unit} move, of which ${most} were anchored when it was proposed`);
  }
}

/** Facts have every term as text. */
function isSame(anchored: unknown, { type, assetIds, terms }: ProposalEffect): boolean {
  const effect = anchored as { type: unknown; assetIds: readonly unknown[]; terms: Record<string, unknown> };
  const approved = Object.entries(terms) as [string, string | bigint | null | undefined][];
  return (
    effect.type === type &&
    effect.assetIds.length === assetIds.length &&
    assetIds.every((id, index) => effect.assetIds[index] === id) &&
    approved.every(([name, term]) => (effect.terms[name] ?? null) === (term == null ? null : String(term)))
  );
}
