import { buildAssetSale } from '../../../chain/build/asset-sale.ts';
import { fieldError } from '../../../domain/errors.ts';
import type { Lovelace } from '../../../domain/units/money.ts';
import { type ProposalEffect } from '../../../domain/proposal/effect.ts';
import { changeAssetStatus } from '../../../store/asset-changes.ts';
import { lockAssetRows } from '../../../store/assets.ts';
import { decrementAssetCount } from '../../../store/vault-changes.ts';
import { supersedeConflicting } from '../../assets/arriving-assets.ts';
import { requireInCustody, unitsOf, utxosInCustody } from './custody-holding.ts';
import { type ExecutionEffect, type EffectRequest, requirePartner } from './effect.ts';
import { requireApproved } from '../../../domain/proposal/approval.ts';

type Sale = Extract<ProposalEffect, { type: 'ASSET_SALE' }>;

/** Moves assets to a buyer and their price into custody, in one transaction. */
export const assetSale: ExecutionEffect<Sale> = {
  mayNeedOperator: false,
  partner: buyerOf,

  plan(request) {
    const { approved, requested, assets, valuation } = request;
    const buyerAddress = buyerOf(request);
    const resolved =
      requested.type === 'ASSET_SALE' ? { ...requested, terms: { ...requested.terms, buyerAddress } } : requested;
    requireApproved(approved, resolved, valuation);
    requireInCustody(assets);
    return { ...approved, terms: { price: requirePrice(resolved), buyerAddress } };
  },

  buildTransaction(inputs) {
    const { chain, custody, assets, effect, ttlSlot } = inputs;
    const sold = unitsOf(assets);
    const utxos = utxosInCustody(inputs, sold);
    return buildAssetSale(chain, {
      custody,
      utxos,
      assets: sold,
      price: requirePrice(effect),
      buyer: requirePartner(inputs),
      ttlSlot,
    });
  },

  async apply({ tx, now }, { effect, vaultId }) {
    for (const asset of await lockAssetRows(tx, effect.assetIds)) {
      await changeAssetStatus(tx, asset, { status: 'RELEASED', reason: 'sold' }, now);
      await decrementAssetCount(tx, vaultId);
    }
  },

  async undo(context, { effect, vaultId }) {
    const { tx, now } = context;
    for (const asset of await lockAssetRows(tx, effect.assetIds)) {
      // The buyer may have added it to a vault: that transaction depends on the sale and left the ledger with it.
      if (asset.type === 'NFT') await supersedeConflicting(context, asset);
      await changeAssetStatus(tx, asset, { status: 'LOCKED', direction: 'rollback' }, now);
      await decrementAssetCount(tx, vaultId, -1);
    }
  },
};

/** The buyer that the action or the vote names, else the executor (design D27). */
function buyerOf({ approved, requested, executor }: EffectRequest<Sale>): string {
  const named = requested.type === 'ASSET_SALE' ? requested.terms.buyerAddress : null;
  return named ?? approved.terms.buyerAddress ?? executor;
}

/** The price of an effect. Throws INVALID_REQUEST when it has none. */
export function requirePrice({ terms }: ProposalEffect): Lovelace {
  if ('price' in terms && terms.price !== null) return terms.price;
  throw fieldError('INVALID_REQUEST', 'action.details.price', 'Name the price');
}
