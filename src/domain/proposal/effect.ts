import { type FieldProblem, fieldError, ServiceError } from '../errors.ts';
import { type BaseUnits, type Lovelace } from '../units/money.ts';
import { actionWords } from './proposal.ts';

/** What a sale was approved with. Null: left open by the vote, here and in all terms below. */
export interface SaleTerms {
  /** For all its assets together. */
  readonly price: Lovelace | null;
  readonly buyerAddress: string | null;
}

/** What is bought, from whom, for how much. */
export interface PurchaseTerms {
  readonly policyId: string;
  readonly assetNameHex: string;
  readonly quantity: BaseUnits;
  readonly price: Lovelace | null;
  readonly sellerAddress: string | null;
}

/** Assets to one of the vault's staking addresses, or back into custody. */
export interface StakingTerms {
  readonly direction: 'out' | 'back';
  readonly stakingAddress: string;
}

/** Who gets what a terminated vault is left with; nobody by default (design D31). */
export interface LiquidationTerms {
  readonly remainingAssetsTo: string | null;
  readonly unclaimedLovelaceTo: string | null;
}

interface EffectOf<Type extends string, Terms> {
  readonly type: Type;
  /** Assets of the vault; none for BUY and LIQUIDATE. */
  readonly assetIds: readonly string[];
  readonly terms: Terms;
}

/** What is voted on and then done (design D27). */
export type ProposalEffect =
  | EffectOf<'ASSET_SALE', SaleTerms>
  | EffectOf<'BUY', PurchaseTerms>
  | EffectOf<'STAKE', StakingTerms>
  | EffectOf<'LIQUIDATE', LiquidationTerms>;

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
};

/** Where an action is not the one that was voted on, by the field of the execute request; what the vote left open may be anything. */
export function termsDiffer(approved: ProposalEffect, asked: ProposalEffect): readonly FieldProblem[] {
  return differences(approved, asked).map(({ field, fixed, isNamed }) => {
    return problem(field, `${isNamed ? 'The' : 'Required: the'} vote approved ${fixed}`);
  });
}

/** As `termsDiffer` with what is frozen, nothing of which was left open; who buys or sells need not be named again. */
export function frozenTermsDiffer(frozen: ProposalEffect, asked: ProposalEffect): readonly FieldProblem[] {
  const named = differences(frozen, asked).filter(({ name, isNamed }) => isNamed || !partners.has(name));
  return named.map(({ field, fixed, isNamed }) => ({
    code: 'FROZEN_FOR_ANOTHER_ACTION',
    message: `${isNamed ? 'Frozen' : 'Required: frozen'} with ${fixed}`,
    field,
  }));
}

interface Difference {
  readonly name: string;
  readonly field: string;
  /** What it has to be. */
  readonly fixed: string;
  /** Whether the action says anything of it. */
  readonly isNamed: boolean;
}

const partners = new Set(['buyerAddress', 'sellerAddress']);

function differences(fixed: ProposalEffect, asked: ProposalEffect): readonly Difference[] {
  if (fixed.type !== asked.type) {
    const word = `${actionWords[fixed.type]} (${fixed.type})`;
    return [{ name: 'type', field: 'action.type', fixed: word, isNamed: true }];
  }
  const found: Difference[] = [];
  if (!sameMembers(fixed.assetIds, asked.assetIds)) {
    found.push({
      name: 'assetIds',
      field: 'action.details',
      fixed: `the assets ${fixed.assetIds.join(', ')}`,
      isNamed: true,
    });
  }
  const wanted = new Map<string, unknown>(Object.entries(asked.terms));
  for (const [name, term] of Object.entries(fixed.terms) as [string, string | bigint | null][]) {
    if (term === null || wanted.get(name) === term) continue;
    found.push({ name, field: fields[name] ?? name, fixed: String(term), isNamed: wanted.get(name) !== null });
  }
  return found;
}

/**
 * Throws ACTION_DIFFERS_FROM_APPROVED with the fields; for a price the vote left open, INVALID_REQUEST when there is none,
 * PRICE_BELOW_VALUATION when a sale brings less than `valuation` (the assets' last one; null when there is none),
 * PRICE_ABOVE_VALUATION when a purchase costs more.
 */
export function requireApproved(approved: ProposalEffect, asked: ProposalEffect, valuation: Lovelace | null): void {
  const errors = termsDiffer(approved, asked);
  if (errors.length > 0) throw new ServiceError('ACTION_DIFFERS_FROM_APPROVED', { errors });
  if (!('price' in approved.terms) || !('price' in asked.terms) || approved.terms.price !== null) return;
  const { price } = asked.terms;
  if (price === null) {
    const message = `Required: the vote left it open, the valuation is ${valuation ?? 'not known'}`;
    throw fieldError('INVALID_REQUEST', 'action.details.price', message);
  }
  if (valuation !== null && isFair(asked.type, price, valuation)) return;
  const refusal = asked.type === 'ASSET_SALE' ? 'PRICE_BELOW_VALUATION' : 'PRICE_ABOVE_VALUATION';
  throw new ServiceError(refusal, { valuation: textOf(valuation), price: textOf(price) });
}

function isFair(type: ProposalEffect['type'], price: Lovelace, valuation: Lovelace): boolean {
  return type === 'ASSET_SALE' ? price >= valuation : price <= valuation;
}

function textOf(amount: Lovelace | null): string | null {
  return amount === null ? null : String(amount);
}

function sameMembers(approved: readonly string[], asked: readonly string[]): boolean {
  const members = new Set(approved);
  return members.size === new Set(asked).size && asked.every((id) => members.has(id));
}

function problem(field: string, message: string): FieldProblem {
  return { code: 'ACTION_DIFFERS_FROM_APPROVED', message, field };
}
