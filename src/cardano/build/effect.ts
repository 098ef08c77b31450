import { ServiceError } from '../../platform/errors/errors.ts';
import { requirePrice } from '../../executions/rules/effects/price.ts';
import type { ProposalEffect } from '../../proposals/rules/effect.ts';
import type { ChainContext } from '../ledger/parameters.ts';
import type { BuiltTransaction, Utxo } from '../transaction.ts';
import { buildAssetPurchase } from './asset-purchase.ts';
import { buildAssetSale } from './asset-sale.ts';
import { buildAssetReturn, buildAssetStaking, returnedUtxos } from './asset-staking.ts';
import { type Custody, custodyPayer } from './custody.ts';
import { type AssetQuantity, type CustodyUtxos, unitsOf, utxosInCustody } from './custody-holding.ts';
import { buildDecision } from './liquidation-decision.ts';
import { buildWithPlatformFunds, type Payer } from './funding.ts';

/** What the transaction of an effect is built from. */
export interface EffectInputs<Effect extends ProposalEffect = ProposalEffect> extends CustodyUtxos {
  readonly chain: ChainContext;
  readonly proposalId: string;
  /** With no term left open. */
  readonly effect: Effect;
  readonly assets: readonly AssetQuantity[];
  readonly custody: Custody;
  readonly partner: Payer | null;
  /** Pays when neither the vault nor a partner can. */
  readonly operator: Payer | null;
  /** Where the price of a sale goes; custody unless the vault ends. */
  readonly proceedsAddress?: string | undefined;
  readonly ttlSlot: number;
}

type InputsOf<Type extends ProposalEffect['type']> = EffectInputs<Extract<ProposalEffect, { type: Type }>>;

/** Builds the transaction of an effect. Throws ASSET_NO_LONGER_HELD, CUSTODY_IN_USE and what the builder of its type throws. */
export function buildEffect({ effect, ...inputs }: EffectInputs): BuiltTransaction {
  switch (effect.type) {
    case 'ASSET_SALE':
      return buildSale({ effect, ...inputs });
    case 'BUY':
      return buildPurchase({ effect, ...inputs });
    case 'STAKE':
      return buildStaking({ effect, ...inputs });
    case 'LIQUIDATE':
      return buildLiquidation({ effect, ...inputs });
  }
}

function buildSale(inputs: InputsOf<'ASSET_SALE'>): BuiltTransaction {
  const { chain, custody, assets, effect, ttlSlot } = inputs;
  const sold = unitsOf(assets);
  const utxos = utxosInCustody(inputs, sold);
  const terms = { assets: sold, price: requirePrice(effect), buyer: requirePartner(inputs) };
  const { proceedsAddress } = inputs;
  return buildAssetSale(chain, { custody, utxos, ...terms, proceedsAddress, ttlSlot });
}

function buildPurchase(inputs: InputsOf<'BUY'>): BuiltTransaction {
  const { chain, custody, effect, free, ttlSlot } = inputs;
  const { assetNameHex: assetName, ...terms } = effect.terms;
  const assets = unitsOf([{ ...terms, assetName }]);
  const price = requirePrice(effect);
  return buildAssetPurchase(chain, { custody, utxos: free, assets, price, seller: requirePartner(inputs), ttlSlot });
}

function buildStaking(inputs: InputsOf<'STAKE'>): BuiltTransaction {
  const { chain, custody, effect, ttlSlot } = inputs;
  const assets = unitsOf(inputs.assets);
  const move = { custody, assets, ttlSlot };
  const { direction, stakingAddress } = effect.terms;
  if (direction === 'back') {
    const partner = requirePartner(inputs);
    // What the holder lacks is not the payer's: another one could not help.
    const holder = { ...partner, utxos: returnedUtxos(chain, { ...move, holder: partner }) };
    return buildWithPayer(inputs, [], (payer) => buildAssetReturn(chain, { ...move, payer, holder }));
  }
  const holding = utxosInCustody(inputs, assets);
  return buildWithPayer(inputs, holding, (payer) => {
    return buildAssetStaking(chain, { ...move, payer, holding, stakingAddress });
  });
}

function buildLiquidation(inputs: InputsOf<'LIQUIDATE'>): BuiltTransaction {
  const { chain, custody, proposalId, ttlSlot } = inputs;
  return buildWithPlatformFunds(() =>
    buildDecision(chain, { custody, proposalId, decision: 'liquidate', operator: requireOperator(inputs), ttlSlot }),
  );
}

/** Builds with the vault as payer (design D13b), or with the operator when the vault has too little ADA, as after its settlement. */
function buildWithPayer(
  inputs: EffectInputs,
  holding: readonly Utxo[],
  build: (payer: Payer) => BuiltTransaction,
): BuiltTransaction {
  // The assets' UTxOs are inputs already and cannot pay as well.
  const others = inputs.free.filter((utxo) => !holding.includes(utxo));
  try {
    return build(custodyPayer(inputs.chain.parameters, inputs.custody, others));
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'INSUFFICIENT_FUNDS') throw error;
    return buildWithPlatformFunds(() => build(requireOperator(inputs)));
  }
}

/** The partner of an effect that cannot be built without one. */
function requirePartner({ partner }: EffectInputs): Payer {
  if (!partner) throw new Error('an effect with a partner has none');
  return partner;
}

/** The operator, for an effect that it pays. */
function requireOperator({ operator }: EffectInputs): Payer {
  if (!operator) throw new Error('an effect that the operator pays has no operator');
  return operator;
}
