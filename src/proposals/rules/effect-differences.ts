import type { FieldProblem } from '../../platform/errors/errors.ts';
import type { ProposalEffect } from './effect.ts';
import { actionWords } from './proposal.ts';

/** The field of an execution request that carries each term. */
const fields: Readonly<Record<string, string>> = {
  price: 'action.details.price',
  buyerAddress: 'action.details.buyer_address',
  sellerAddress: 'action.details.seller_address',
  policyId: 'action.details.policy_id',
  assetNameHex: 'action.details.asset_name',
  quantity: 'action.details.quantity',
  direction: 'action.details.direction',
  stakingAddress: 'action.details.staking_address',
  remainingAssetsTo: 'action.details.remaining_assets_to',
  unclaimedLovelaceTo: 'action.details.unclaimed_lovelace_to',
  remainingAssets: 'action.details.remaining_assets',
};

/** Where a requested effect differs from the approved one, by request field. A term that the vote left open never differs. */
export function termsDiffer(approved: ProposalEffect, requested: ProposalEffect): readonly FieldProblem[] {
  return differences(approved, requested).map(({ field, expected, isNamed }) => ({
    code: 'ACTION_DIFFERS_FROM_APPROVED',
    message: `${isNamed ? 'The' : 'Required: the'} vote approved ${expected}`,
    field,
  }));
}

/**
 * Where a requested effect differs from the frozen one, by request field. A frozen effect leaves no term open, but the request
 * may leave out its buyer or seller.
 */
export function frozenTermsDiffer(frozen: ProposalEffect, requested: ProposalEffect): readonly FieldProblem[] {
  const relevant = differences(frozen, requested).filter(({ name, isNamed }) => isNamed || !partners.has(name));
  return relevant.map(({ field, expected, isNamed }) => ({
    code: 'FROZEN_FOR_ANOTHER_ACTION',
    message: `${isNamed ? 'Frozen' : 'Required: frozen'} with ${expected}`,
    field,
  }));
}

interface Difference {
  readonly name: string;
  readonly field: string;
  /** The approved or frozen value, as text. */
  readonly expected: string;
  /** Whether the request names the term at all. */
  readonly isNamed: boolean;
}

const partners = new Set(['buyerAddress', 'sellerAddress']);

function differences(expected: ProposalEffect, requested: ProposalEffect): readonly Difference[] {
  if (expected.type !== requested.type) {
    const type = `${actionWords[expected.type]} (${expected.type})`;
    return [{ name: 'type', field: 'action.type', expected: type, isNamed: true }];
  }
  const found: Difference[] = [];
  if (!haveSameMembers(expected.assetIds, requested.assetIds)) {
    const assets = `the assets ${expected.assetIds.join(', ')}`;
    found.push({ name: 'assetIds', field: 'action.details', expected: assets, isNamed: true });
  }
  const requestedTerms = new Map<string, unknown>(Object.entries(requested.terms));
  for (const [name, term] of Object.entries(expected.terms) as [string, string | bigint | null][]) {
    if (term === null || requestedTerms.get(name) === term) continue;
    const isNamed = requestedTerms.get(name) !== null;
    found.push({ name, field: fields[name] ?? name, expected: String(term), isNamed });
  }
  return found;
}

function haveSameMembers(first: readonly string[], second: readonly string[]): boolean {
  const members = new Set(first);
  return members.size === new Set(second).size && second.every((id) => members.has(id));
}
