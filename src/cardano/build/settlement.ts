import { blake2b256 } from '../blake2b.ts';
import { buildLargestFitting, buildWithFee, type Payer, buildBalanced } from './funding.ts';
import { settlementFloat, type Deposit } from './deposits.ts';
import type { TransactionDraft, DraftOutput } from './draft.ts';
import { smallestOutput, atLeastMinAda } from './outputs.ts';
import { equalShare, requireNonNegative, sumHoldings } from './values.ts';
import type { ChainContext, ProtocolParameters } from '../ledger/parameters.ts';
import { type NativeScript, scriptHash } from '../scripts/native-script.ts';
import { policyScript } from '../scripts/vault-scripts.ts';
import { type FtDescription, ftNameHex, referenceDatum, referenceNameHex } from '../tokens/fractional-token.ts';
import { vaultNftNameHex, creationLabel, type VaultNft, vaultNftMetadata } from '../tokens/vault-nft.ts';
import type { BuiltTransaction, KeyHash, Unit, Utxo } from '../transaction.ts';
import { type Lovelace, lovelace } from '../../platform/units/money.ts';
import {
  commitmentToCreation,
  type CreationTerms,
  type PlanCommitment,
} from '../../settlement/rules/plan-commitment.ts';
import type { UtxoRef } from '../../transactions/rules.ts';

/** What its creation records of a new vault. */
interface VaultIdentity {
  readonly id: string;
  readonly name: string;
  readonly terms: CreationTerms & { readonly type: string; readonly valuationType: string };
  readonly contractAddress: string;
  readonly policyKeyHash: KeyHash;
}

/**
 * Builds the transaction that creates a vault on the ledger: it mints the vault's NFT to the custody address under a policy that ends with it, paid
 * by the operator.
 */
export function buildVaultCreation(
  context: ChainContext,
  vault: VaultIdentity,
  { operator, image, ttlSlot }: { operator: Payer; image: string; ttlSlot: number },
): BuiltTransaction {
  const { id, name, terms, policyKeyHash } = vault;
  return buildVaultNftMint(context, {
    operator,
    contractAddress: vault.contractAddress,
    policy: policyScript({ policyKeyHash, deadlineSlot: ttlSlot }),
    policyKeyHash,
    nft: {
      name,
      nameHex: vaultNftNameHex(name),
      image,
      properties: { vault: id, type: terms.type, valuation: terms.valuationType },
    },
    terms: commitmentToCreation(blake2b256, terms),
    ttlSlot,
  });
}

interface VaultNftMint {
  readonly operator: Payer;
  /** The vault's custody address. */
  readonly contractAddress: string;
  readonly policy: NativeScript;
  readonly policyKeyHash: KeyHash;
  readonly nft: Omit<VaultNft, 'policyId'>;
  /** The leaf of the vault's terms, in hex. */
  readonly terms: string;
  /** At most the policy's deadline. */
  readonly ttlSlot: number;
}

/** Mints the vault's NFT to its custody address (output 0), and commits to its terms; the operator pays. */
export function buildVaultNftMint({ parameters }: ChainContext, input: VaultNftMint): BuiltTransaction {
  const { nft, policy, policyKeyHash, terms } = input;
  const policyId = scriptHash(policy);
  const assets = new Map([[policyId + nft.nameHex, 1n]]);
  return buildBalanced(parameters, input.operator, {
    outputs: [smallestOutput(parameters, { address: input.contractAddress, assets })],
    mint: { policy: policy, quantities: new Map([[nft.nameHex, 1n]]) },
    metadata: { ...vaultNftMetadata({ ...nft, policyId }), [creationLabel(policyKeyHash)]: { v: 1, terms } },
    ttlSlot: input.ttlSlot,
    cosigners: [policyKeyHash],
  });
}

/** Metadata label under which a mint commits to the plan of its settlement. */
const planLabel = 868_485;

export interface FtMint {
  readonly operator: Payer;
  readonly policy: NativeScript;
  readonly policyKeyHash: KeyHash;
  /** The whole supply in base units, and the name in hex without its CIP-67 label. */
  readonly ft: FtDescription & { readonly nameHex: string; readonly supply: bigint };
  readonly settlementAddress: string;
  readonly custodyAddress: string;
  readonly plan: PlanCommitment;
  /** At most the slot of T, the deadline of the policy. */
  readonly ttlSlot: number;
}

/**
 * Mints the whole FT supply to the settlement address (output 0) and the CIP-68 reference token to custody (output 1), and records who
 * gets what of it; the operator pays.
 */
export function buildFtMint({ parameters }: ChainContext, input: FtMint): BuiltTransaction {
  const { ft, policy } = input;
  const policyId = scriptHash(policy);
  const supply = [ftNameHex(ft.nameHex), ft.supply] as const;
  const reference = [referenceNameHex(ft.nameHex), 1n] as const;
  const holding = ([name, quantity]: readonly [string, bigint], address: string) => ({
    address,
    assets: new Map([[policyId + name, quantity]]),
  });
  return buildBalanced(parameters, input.operator, {
    outputs: [
      { ...holding(supply, input.settlementAddress), lovelace: settlementFloat(parameters) },
      smallestOutput(parameters, { ...holding(reference, input.custodyAddress), datum: referenceDatum(ft) }),
    ],
    mint: { policy: policy, quantities: new Map([supply, reference]) },
    metadata: { [planLabel]: { v: 1, ...input.plan } },
    ttlSlot: input.ttlSlot,
    cosigners: [input.policyKeyHash],
  });
}

/** A deposit, and what its owner gets for it by the settlement plan. */
export interface Delivery extends Deposit {
  /** How much of the deposit's lovelace is the investment; the rest is its delivery deposit. Zero for an asset. */
  readonly invested: Lovelace;
  /** Fractional tokens for the owner, in base units. */
  readonly ft: bigint;
  /** The owner's share of the invested ADA. */
  readonly lovelaceShare: Lovelace;
}

interface DeliveryBatch {
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
interface DeliveryPayment {
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
 * settlement address (output 0). The delivery deposits pay the fee in equal shares.
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

/** A part of what the settlement address still holds. */
export interface SettledShare {
  readonly lovelace: Lovelace;
  /** Base units. */
  readonly ft: bigint;
}

interface LiquidityPayout {
  /** The UTxO that remains at the settlement address after the deliveries. */
  readonly settlement: Utxo;
  /** How much of its lovelace the operator added with the mint. */
  readonly float: Lovelace;
  readonly settlementScript: NativeScript;
  readonly vaultKeyHash: KeyHash;
  readonly liquidityAddress: string;
  readonly custodyAddress: string;
  readonly operatorAddress: string;
  readonly ftUnit: Unit;
  readonly liquidity: SettledShare;
  /** The shares of deposits that their owners reclaimed on their own (design D13c). */
  readonly kept: SettledShare;
  readonly ttlSlot: number;
}

interface BuiltLiquidityPayout {
  readonly transaction: BuiltTransaction;
  /** Operator's ADA that was added to shares below their min-ADA. */
  readonly topUp: Lovelace;
}

/**
 * The last transaction of a settlement: the LP share goes to the liquidity address (output 0), the rest of the operator's float back
 * to the operator (output 1), the kept share to custody (output 2). Throws an Error unless the shares and the float are exactly what
 * the settlement holds, and INSUFFICIENT_FUNDS.
 */
export function buildLiquidityPayout({ parameters }: ChainContext, input: LiquidityPayout): BuiltLiquidityPayout {
  const { settlement, float, liquidity, kept } = input;
  assertAllShared(input);
  const toLiquidity = outputOf(parameters, input.liquidityAddress, input.ftUnit, liquidity);
  const toCustody =
    kept.lovelace === 0n && kept.ft === 0n ? [] : [outputOf(parameters, input.custodyAddress, input.ftUnit, kept)];
  const shares = [toLiquidity, ...toCustody].reduce((sum, output) => sum + output.lovelace, 0n);

  const transaction = buildWithFee(parameters, (fee) => {
    const left = lovelace(requireNonNegative(settlement.lovelace - shares - fee));
    return {
      inputs: [{ utxo: settlement, script: input.settlementScript }],
      outputs: [toLiquidity, { address: input.operatorAddress, lovelace: left, assets: new Map() }, ...toCustody],
      ttlSlot: input.ttlSlot,
      signers: [input.vaultKeyHash],
    };
  });
  return { transaction, topUp: lovelace(shares - (settlement.lovelace - float)) };
}

/** Refuses to end a settlement whose amounts do not add up. */
function assertAllShared({ settlement, float, ftUnit, liquidity, kept }: LiquidityPayout): void {
  const ft = settlement.assets.get(ftUnit) ?? 0n;
  if (ft !== liquidity.ft + kept.ft)
    throw new Error(`the settlement holds ${ft} FT, the LP share is ${liquidity.ft} and ${kept.ft} are kept`);
  const coin = settlement.lovelace - float;
  if (coin !== liquidity.lovelace + kept.lovelace)
    throw new Error(
      `the settlement holds ${coin} lovelace, the LP share is ${liquidity.lovelace} and ${kept.lovelace} are kept`,
    );
}

/** An output that holds the share, and at least its min-ADA. */
function outputOf(parameters: ProtocolParameters, address: string, ftUnit: Unit, share: SettledShare): DraftOutput {
  const assets = new Map(share.ft === 0n ? [] : [[ftUnit, share.ft]]);
  return atLeastMinAda(parameters, { address, lovelace: share.lovelace, assets });
}
