import { type Lovelace, lovelace } from '../../platform/units/money.ts';
import { buildLargestFitting, buildWithFee } from './balance.ts';
import { equalShare, requireNonNegative, sumHoldings } from './values.ts';
import type { Deposit } from './deposits.ts';
import type { TransactionDraft, DraftOutput } from './draft.ts';
import type { NativeScript } from '../scripts/native-script.ts';
import type { ChainContext, ProtocolParameters } from '../ledger/parameters.ts';
import type { BuiltTransaction, KeyHash, Unit, Utxo } from '../transaction.ts';
import type { UtxoRef } from '../../transactions/rules/utxo-ref.ts';
import { smallestOutput } from './outputs.ts';

/** A deposit, and what its owner gets for it by the settlement plan. */
export interface Delivery extends Deposit {
  /** How much of the deposit's lovelace is the investment; the rest is its delivery deposit. Zero for an asset. */
  readonly invested: Lovelace;
  /** Fractional tokens for the owner, in base units. */
  readonly ft: bigint;
  /** The owner's share of the invested ADA. */
  readonly lovelaceShare: Lovelace;
}

export interface DeliveryBatch {
  /** Output 0 of the mint or of the previous batch. */
  readonly settlement: Utxo;
  readonly settlementScript: NativeScript;
  readonly vaultKeyHash: KeyHash;
  readonly custodyAddress: string;
  readonly ftUnit: Unit;
  readonly deliveries: readonly Delivery[];
  readonly ttlSlot: number;
}

/** How one deposit was divided: utxo = invested + depositReturned + feeShare + custodyMinAda (+ its asset, to custody). */
export interface DeliveryPayment {
  readonly owner: string;
  readonly deposit: UtxoRef;
  readonly ft: bigint;
  readonly lovelaceShare: Lovelace;
  readonly depositReturned: Lovelace;
  readonly feeShare: Lovelace;
  readonly custodyMinAda: Lovelace;
  /** Index of the output that pays the owner; an owner's deposits share one. */
  readonly ownerOutput: number;
  /** Index of the asset's own output in custody; null for an investment. */
  readonly custodyOutput: number | null;
}

export interface BuiltDelivery {
  readonly transaction: BuiltTransaction;
  /** How many deliveries it contains, counted from the first; the rest need another transaction. */
  readonly taken: number;
  readonly payments: readonly DeliveryPayment[];
}

/**
 * Settles deposits: owners get their exact FT and ADA shares, each asset gets its own UTxO in custody, invested ADA goes to the
 * settlement address (output 0). The delivery deposits pay the fee in equal shares. Throws INSUFFICIENT_FUNDS.
 */
export function buildDelivery({ parameters }: ChainContext, batch: DeliveryBatch): BuiltDelivery {
  return buildLargestFitting(parameters, batch.deliveries.length, (taken) => {
    const deliveries = batch.deliveries.slice(0, taken);
    const transaction = buildWithFee(parameters, (fee) => draftWith(parameters, batch, deliveries, fee).draft);
    return { transaction, payments: draftWith(parameters, batch, deliveries, transaction.fee).payments };
  });
}

/**
 * As `buildDelivery`, without the deliveries that cannot be built alone, such as that of a deposit which holds too little for the min-ADA of
 * today. While an investment is among these, contributors wait with it: what they get depends on it.
 */
export function buildSoundDelivery<One extends Delivery>(
  context: ChainContext,
  batch: Omit<DeliveryBatch, 'deliveries'> & { readonly deliveries: readonly One[] },
): BuiltDelivery & { readonly deliveries: readonly One[] } {
  const build = (deliveries: readonly One[]) => ({ ...buildDelivery(context, { ...batch, deliveries }), deliveries });
  try {
    return build(batch.deliveries);
  } catch (error) {
    const alone = new Map(batch.deliveries.map((one) => [one, isBuilt(() => build([one]))]));
    const isAmountOpen = batch.deliveries.some((one) => one.invested > 0n && !alone.get(one));
    const sound = batch.deliveries.filter((one) => alone.get(one) && (one.invested > 0n || !isAmountOpen));
    if (sound.length === 0 || sound.length === batch.deliveries.length) throw error;
    return build(sound);
  }
}

function isBuilt(build: () => unknown): boolean {
  try {
    build();
    return true;
  } catch {
    return false;
  }
}

function draftWith(
  parameters: ProtocolParameters,
  batch: DeliveryBatch,
  deliveries: readonly Delivery[],
  fee: bigint,
): { draft: TransactionDraft; payments: DeliveryPayment[] } {
  const owners = [...new Set(deliveries.map(({ owner }) => owner))];
  const custody: DraftOutput[] = [];
  const payments = deliveries.map((delivery, position): DeliveryPayment => {
    const { owner, utxo, invested, ft, lovelaceShare } = delivery;
    const { assets } = utxo;
    const assetOutput =
      assets.size === 0 ? null : smallestOutput(parameters, { address: batch.custodyAddress, assets });
    if (assetOutput) custody.push(assetOutput);
    const custodyMinAda = assetOutput?.lovelace ?? lovelace(0n);
    const feeShare = lovelace(equalShare(fee, deliveries.length, position));
    return {
      owner,
      deposit: { txHash: utxo.txHash, index: utxo.index },
      ft,
      lovelaceShare,
      depositReturned: lovelace(requireNonNegative(utxo.lovelace - invested - custodyMinAda - feeShare)),
      feeShare,
      custodyMinAda,
      ownerOutput: 1 + owners.indexOf(owner),
      custodyOutput: assetOutput ? owners.length + custody.length : null,
    };
  });
  const draft: TransactionDraft = {
    inputs: [{ utxo: batch.settlement, script: batch.settlementScript }, ...deliveries],
    outputs: [settlementOutput(batch, deliveries), ...ownerOutputs(batch.ftUnit, payments), ...custody],
    ttlSlot: batch.ttlSlot,
    signers: [batch.vaultKeyHash],
  };
  return { draft, payments };
}

function settlementOutput({ settlement, ftUnit }: DeliveryBatch, deliveries: readonly Delivery[]): DraftOutput {
  let coin: bigint = settlement.lovelace;
  let ft = settlement.assets.get(ftUnit) ?? 0n;
  for (const delivery of deliveries) {
    coin += delivery.invested - delivery.lovelaceShare;
    ft -= delivery.ft;
  }
  return { address: settlement.address, lovelace: lovelace(requireNonNegative(coin)), assets: ftHolding(ftUnit, ft) };
}

/** One output for each owner, in the order in which they first appear. */
function ownerOutputs(ftUnit: Unit, payments: readonly DeliveryPayment[]): DraftOutput[] {
  return [...Map.groupBy(payments, ({ owner }) => owner)].map(([owner, theirs]) => {
    const paid = sumHoldings(
      theirs.map(({ ft, lovelaceShare, depositReturned }) => ({
        lovelace: lovelace(lovelaceShare + depositReturned),
        assets: ftHolding(ftUnit, ft),
      })),
    );
    return { address: owner, ...paid };
  });
}

function ftHolding(unit: Unit, quantity: bigint): Map<Unit, bigint> {
  if (quantity < 0n) throw new RangeError('the deliveries need more fractional tokens than the settlement holds');
  return new Map(quantity === 0n ? [] : [[unit, quantity]]);
}
