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

/** Assets to a buyer, their price into custody, in one transaction. */
export const assetSale: ExecutionEffect<Sale> = {
  mayNeedOperator: false,
  partner: buyerOf,

  plan(judged) {
    const { approved, requested, assets, valuation } = judged;
    const buyerAddress = buyerOf(judged);
    const resolved =
      requested.type === 'ASSET_SALE' ? { ...requested, terms: { ...requested.terms, buyerAddress } } : requested;
    requireApproved(approved, resolved, valuation);
    requireInCustody(assets);
    return { ...approved, terms: { price: requirePrice(resolved), buyerAddress } };
  },

  buildTransaction(material) {
    const { chain, custody, assets, effect, ttlSlot } = material;
    const sold = unitsOf(assets);
    const utxos = utxosInCustody(material, sold);
    return buildAssetSale(chain, {
      custody,
      utxos,
      assets: sold,
      price: requirePrice(effect),
      buyer: requirePartner(material),
      ttlSlot,
    });
  },

  async apply({ tx, now }, { effect, vaultId }) {
    for (const asset of await lockAssetRows(tx, effect.assetIds)) {
      await changeAssetStatus(tx, asset, { status: 'RELEASED', reason: 'sold' }, now);
      await decrementAssetCount(tx, vaultId);
    }
  },

  async undo(scene, { effect, vaultId }) {
    const { tx, now } = scene;
    for (const asset of await lockAssetRows(tx, effect.assetIds)) {
      // The buyer may have put it into a vault again: what was built on the sale is off the ledger with it.
      if (asset.type === 'NFT') await supersedeConflicting(scene, asset);
      await changeAssetStatus(tx, asset, { status: 'LOCKED', direction: 'rollback' }, now);
      await decrementAssetCount(tx, vaultId, -1);
    }
  },
};

/** Who executes buys, unless the vote or the action names somebody else (design D27). */
function buyerOf({ approved, requested, executor }: EffectRequest<Sale>): string {
  const named = requested.type === 'ASSET_SALE' ? requested.terms.buyerAddress : null;
  return named ?? approved.terms.buyerAddress ?? executor;
}

/** Raises INVALID_REQUEST when there is none. */
export function requirePrice({ terms }: ProposalEffect): Lovelace {
  if ('price' in terms && terms.price !== null) return terms.price;
  throw fieldError('INVALID_REQUEST', 'action.details.price', 'Name the price');
}
