import { buildAssetReturn, buildAssetStaking, returnedUtxos } from './staking.ts';
import { selectUtxos, buildWithPlatformFunds, type Payer, buildBalanced } from './funding.ts';
import { minAda, type DraftOutput } from './draft.ts';
import {
  type AssetQuantity,
  type CustodyUtxos,
  unitsOf,
  utxosInCustody,
  type Custody,
  custodyPayer,
  custodyOutputs,
  custodySigners,
  custodyInputs,
} from './custody.ts';
import { splitIntoOutputs, smallestOutputs } from './outputs.ts';
import { sumHoldings, subtractAssets } from './values.ts';
import type { ChainContext, ProtocolParameters } from '../ledger/parameters.ts';
import { type CustodyGuard, custodyScript } from '../scripts/vault-scripts.ts';
import type { BuiltTransaction, KeyHash, Utxo, Unit } from '../transaction.ts';
import { requirePrice } from '../../executions/rules/effects.ts';
import { ServiceError } from '../../platform/errors.ts';
import { type Lovelace, lovelace } from '../../platform/units/money.ts';
import type { ProposalEffect } from '../../proposals/rules/effects.ts';
import { refText } from '../../transactions/rules.ts';

/** What an execution is built from. */
export interface ExecutionInputs extends Pick<
  EffectInputs,
  'chain' | 'proposalId' | 'effect' | 'assets' | 'inCustody' | 'partner' | 'operator' | 'proceedsAddress'
> {
  readonly vault: CustodyGuard & { readonly contractAddress: string };
  readonly cosigners: readonly { readonly keyHash: KeyHash }[];
  /** Whether each of them has to sign; otherwise some of them suffice. */
  readonly allCosign: boolean;
}

interface AvailableUtxos {
  /** Those that no open transaction holds. */
  readonly free: readonly Utxo[];
  /** The inputs of other executions that wait for the signature of the partner. */
  readonly awaitingSignature: readonly Utxo[];
}

/**
 * Builds the transaction of an execution, without the inputs of other executions that its partner is to sign if the other UTxOs
 * suffice: the partner can then sign all of them.
 */
export function buildExecution(
  inputs: ExecutionInputs,
  { free, awaitingSignature }: AvailableUtxos,
  ttlSlot: number,
): BuiltTransaction {
  const reserved = new Set(awaitingSignature.map(refText));
  const unreserved = free.filter((utxo) => !reserved.has(refText(utxo)));
  if (unreserved.length === free.length) return buildFrom(inputs, free, ttlSlot);
  try {
    return buildFrom(inputs, unreserved, ttlSlot);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return buildFrom(inputs, free, ttlSlot);
  }
}

function buildFrom(inputs: ExecutionInputs, free: readonly Utxo[], ttlSlot: number): BuiltTransaction {
  return buildEffect(effectInputs(inputs, free, ttlSlot));
}

function effectInputs(inputs: ExecutionInputs, free: readonly Utxo[], ttlSlot: number): EffectInputs {
  const { vault, cosigners, allCosign, inCustody, partner, operator } = inputs;
  const freeRefs = new Set(free.map(refText));
  const freeOf = (utxos: readonly Utxo[]) => utxos.filter((utxo) => freeRefs.has(refText(utxo)));
  return {
    ...inputs,
    custody: {
      address: vault.contractAddress,
      script: custodyScript(vault),
      vaultKeyHash: vault.vaultKeyHash,
      cosigners: cosigners.map(({ keyHash }) => keyHash),
      allCosign,
    },
    free: freeOf(inCustody),
    partner: partner && { ...partner, utxos: freeOf(partner.utxos) },
    operator: operator && { ...operator, utxos: freeOf(operator.utxos) },
    ttlSlot,
  };
}

interface EffectInputs<Effect extends ProposalEffect = ProposalEffect> extends CustodyUtxos {
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

function buildEffect({ effect, ...inputs }: EffectInputs): BuiltTransaction {
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

interface AssetPurchase {
  readonly custody: Custody;
  /** UTxOs in custody; those with ADA that no asset needs pay. */
  readonly utxos: readonly Utxo[];
  readonly assets: ReadonlyMap<Unit, bigint>;
  readonly price: Lovelace;
  readonly seller: Payer;
  readonly ttlSlot: number;
}

/**
 * The vault buys assets: custody gets them, one output each from output 0 on. The next output returns the seller's spent UTxOs to the
 * seller, without the assets and with `price` added. The vault pays the fee. Vault, cosigners and seller sign.
 */
export function buildAssetPurchase({ parameters }: ChainContext, input: AssetPurchase): BuiltTransaction {
  const { custody, seller, assets, price } = input;
  const signers = custodySigners(custody);
  const sellerInputs = selectUtxos(seller.utxos, assets);
  const held = sumHoldings(sellerInputs);
  const returned = { lovelace: lovelace(held.lovelace + price), assets: subtractAssets(held.assets, assets) };
  return buildBalanced(parameters, custodyPayer(parameters, custody, input.utxos), {
    fixedInputs: sellerInputs.map((utxo) => (seller.script ? { utxo, script: seller.script } : { utxo })),
    outputs: [
      ...custodyOutputs(parameters, custody, assets),
      ...splitIntoOutputs(parameters, seller.address, returned),
    ],
    ttlSlot: input.ttlSlot,
    cosigners: [...signers.cosigners, seller.keyHash],
    enforcedSigners: signers.enforcedSigners,
  });
}

interface AssetSale {
  readonly custody: Custody;
  /** The UTxOs in custody that hold the sold assets. */
  readonly utxos: readonly Utxo[];
  readonly assets: ReadonlyMap<Unit, bigint>;
  readonly price: Lovelace;
  readonly buyer: Payer;
  /** Where the price goes; custody unless the vault ends. */
  readonly proceedsAddress?: string | undefined;
  readonly ttlSlot: number;
}

/**
 * The vault sells assets: output 0 has the ADA of the spent UTxOs with `price` added, and the assets that are not sold where it goes to
 * custody. The next output gives the buyer the assets; the buyer also pays the fee and the min-ADA. Vault, cosigners and buyer sign.
 * Throws INSUFFICIENT_FUNDS, and RangeError for assets that custody does not hold.
 */
export function buildAssetSale({ parameters }: ChainContext, input: AssetSale): BuiltTransaction {
  const { custody, buyer, assets } = input;
  return buildBalanced(parameters, buyer, {
    fixedInputs: custodyInputs(custody, input.utxos),
    outputs: [...vaultOutputs(parameters, input), ...smallestOutputs(parameters, buyer.address, assets)],
    ttlSlot: input.ttlSlot,
    ...custodySigners(custody),
  });
}

/** What the vault has afterwards. One that ends shares the ADA, and keeps what it has not sold in custody, with as little of it as possible. */
function vaultOutputs(
  parameters: ProtocolParameters,
  { custody, utxos, assets, price, proceedsAddress }: AssetSale,
): DraftOutput[] {
  const held = sumHoldings(utxos);
  const left = subtractAssets(held.assets, assets);
  const returned = { lovelace: lovelace(held.lovelace + price), assets: left };
  if (proceedsAddress === undefined) return splitIntoOutputs(parameters, custody.address, returned);
  const kept = left.size === 0 ? [] : smallestOutputs(parameters, custody.address, left);
  const proceeds = {
    ...returned,
    lovelace: lovelace(returned.lovelace - sumHoldings(kept).lovelace),
    assets: new Map(),
  };
  return [...splitIntoOutputs(parameters, proceedsAddress, proceeds), ...kept];
}

interface AssetHandOver {
  readonly custody: Custody;
  /** The UTxOs in custody that hold the assets. */
  readonly utxos: readonly Utxo[];
  readonly assets: readonly (AssetQuantity & { readonly address: string })[];
  /** Where the ADA goes that nothing needs: to those who hold tokens; null when nobody does. */
  readonly claimsAddress: string | null;
  /** Pays the fee, and the min-ADA that the UTxOs lack. */
  readonly operator: Payer;
  readonly ttlSlot: number;
}

/**
 * A vault that ends gives assets to wallets (design D31): they move with their min-ADA, what else their UTxOs hold returns to custody, and
 * the ADA that is left goes into the pot; without one, and less than an output has to hold, goes to the first wallet. Throws INSUFFICIENT_FUNDS, and
 * RangeError for assets that the UTxOs do not hold.
 */
export function buildAssetHandOver({ parameters }: ChainContext, input: AssetHandOver): BuiltTransaction {
  const { custody, utxos, assets, claimsAddress, operator, ttlSlot } = input;
  const held = sumHoldings(utxos);
  const kept = subtractAssets(held.assets, unitsOf(assets));
  const recipients = [...Map.groupBy(assets, ({ address }) => address)].flatMap(([address, theirs]) =>
    smallestOutputs(parameters, address, unitsOf(theirs)),
  );
  const returned = kept.size === 0 ? [] : smallestOutputs(parameters, custody.address, kept);
  return buildBalanced(parameters, operator, {
    fixedInputs: custodyInputs(custody, utxos),
    outputs: withRest(parameters, [...recipients, ...returned], { available: held.lovelace, claimsAddress }),
    ttlSlot,
    ...custodySigners(custody),
  });
}

/** The outputs with all of `available`. */
function withRest(
  parameters: ProtocolParameters,
  outputs: readonly DraftOutput[],
  { available, claimsAddress: address }: { readonly available: bigint; readonly claimsAddress: string | null },
): DraftOutput[] {
  const left = available - sumHoldings(outputs).lovelace;
  const rest = lovelace(left > 0n ? left : 0n);
  const shared = address === null ? null : { address, lovelace: rest, assets: new Map<Unit, bigint>() };
  if (shared !== null && rest >= minAda(parameters, shared)) return [...outputs, shared];
  return outputs.map((output, index) =>
    index === 0 ? { ...output, lovelace: lovelace(output.lovelace + rest) } : output,
  );
}

/** Metadata label of a vault's decisions. */
const decisionLabel = 868_484;

interface Decision {
  readonly custody: Custody;
  readonly proposalId: string;
  readonly decision: 'liquidate';
  readonly operator: Payer;
  readonly ttlSlot: number;
}

/** Records a vault's decision on the ledger, signed by vault and cosigners. Moves nothing from custody; the operator pays the fee. */
export function buildDecision({ parameters }: ChainContext, input: Decision): BuiltTransaction {
  const { custody, proposalId, decision, operator, ttlSlot } = input;
  return buildBalanced(parameters, operator, {
    outputs: [],
    metadata: { [decisionLabel]: { v: 1, proposal: proposalId, decision } },
    ttlSlot,
    ...custodySigners(custody),
  });
}
