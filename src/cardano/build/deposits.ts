import { buildLargestFitting, buildWithFee, TooManyInputs, buildBalanced, type Payer } from './funding.ts';
import { minAda, type DraftOutput } from './draft.ts';
import { splitIntoOutputs } from './outputs.ts';
import { equalShare, requireNonNegative, sumHoldings } from './values.ts';
import type { ProtocolParameters, ChainContext } from '../ledger/parameters.ts';
import { parseWalletAddress } from '../scripts/address.ts';
import type { NativeScript } from '../scripts/native-script.ts';
import { depositAddressOf } from '../scripts/script-addresses.ts';
import type { NetworkId, Unit, Utxo, BuiltTransaction, KeyHash } from '../transaction.ts';
import { ServiceError } from '../../platform/errors.ts';
import { type Lovelace, lovelace } from '../../platform/units/money.ts';
import type { UtxoRef } from '../../transactions/rules.ts';

/** A UTxO at an owner's deposit address, with the script that guards it. */
export interface Deposit {
  readonly utxo: Utxo;
  readonly script: NativeScript;
  /** Address that everything unspent returns to. */
  readonly owner: string;
}

/** A deposit as the transaction that brought it describes it. */
interface BroughtDeposit {
  readonly owner: string;
  /** Of the transaction that brought it. */
  readonly outputs: readonly Utxo[];
  /** Index of the output that holds it. */
  readonly depositIndex: number;
}

/** A deposit as a transaction spends it. */
export function depositOf(
  { owner, outputs, depositIndex }: BroughtDeposit,
  vault: Parameters<typeof depositAddressOf>[0],
  networkId: NetworkId,
): Deposit {
  const { paymentKeyHash } = parseWalletAddress(owner, networkId);
  const { script, address } = depositAddressOf(vault, paymentKeyHash, networkId);
  const utxo = outputs.find(({ index }) => index === depositIndex);
  if (utxo?.address !== address) throw new Error(`output ${depositIndex} is not the deposit of ${owner} at ${address}`);
  return { utxo, script, owner };
}

/** Lovelace that is deposited with an asset or an investment and pays for its delivery. */
interface DeliveryDeposits {
  readonly asset: Lovelace;
  readonly investment: Lovelace;
}

/** Size of a signed transaction that moves a single deposit; the share of a deposit in a batch is less. */
const SINGLE_DELIVERY_BYTES = 900n;
const HALF_ADA = 500_000n;
// Only the lengths of these addresses matter; they are the same on every network.
const SCRIPT_ADDRESS = 'addr_test1wzmm5ctqaxw2v2xnlh0sp8sj9rcjmhhghzx4gwkx285r6fgp4ghu7';
const BASE_ADDRESS =
  'addr_test1qz2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer424242424242424242424242424242424242424242424qp420qe';

/**
 * The delivery deposits under these parameters: enough for the custody output, the owner's output and a fee share, whatever the names
 * and quantities, rounded up to half an ADA (design D13b).
 */
export function deliveryDeposits(parameters: ProtocolParameters): DeliveryDeposits {
  const custody = minAda(parameters, largestOutput(SCRIPT_ADDRESS));
  const payout = minAda(parameters, largestOutput(BASE_ADDRESS));
  const fee = parameters.minFeeA * SINGLE_DELIVERY_BYTES + parameters.minFeeB;
  return { asset: roundedUp(custody + payout + fee), investment: roundedUp(payout + fee) };
}

/**
 * Operator's ADA that is added to the FT during a settlement and returned at its end. Covers the min-ADA of the LP share, of the FT
 * kept in custody and of the operator's own output, and the last fee.
 */
export function settlementFloat(parameters: ProtocolParameters): Lovelace {
  const output = minAda(parameters, largestOutput(BASE_ADDRESS));
  return roundedUp(3n * output + parameters.minFeeA * SINGLE_DELIVERY_BYTES + parameters.minFeeB);
}

/** The largest output with one asset: a name of 32 bytes and amounts of eight bytes. */
function largestOutput(address: string): DraftOutput {
  const unit: Unit = 'f'.repeat(56 + 64);
  return { address, lovelace: lovelace(2n ** 62n), assets: new Map([[unit, 2n ** 62n]]) };
}

function roundedUp(amount: bigint): Lovelace {
  return lovelace(((amount + HALF_ADA - 1n) / HALF_ADA) * HALF_ADA);
}

interface AddAssets {
  readonly owner: Payer;
  readonly depositAddress: string;
  readonly assets: readonly AddedAsset[];
  /** For each asset. */
  readonly deliveryDeposit: Lovelace;
  readonly ttlSlot: number;
}

interface AddedAsset {
  readonly unit: Unit;
  /** Base units. */
  readonly quantity: bigint;
}

/** The owner sends assets to their deposit address, from output 0 on: one output for each, in this order, because each leaves alone. */
export function buildAddAssets(chain: ChainContext, input: AddAssets): BuiltTransaction {
  const { assets } = input;
  try {
    return buildWith(chain, input, assets);
  } catch (cause) {
    if (!(cause instanceof TooManyInputs) || assets.length === 1) throw cause;
    const fitting = fittingCount(assets.length, (count) => fits(chain, input, assets.slice(0, count)));
    throw new ServiceError('ASSETS_DO_NOT_FIT', { requested: assets.length, fitting }, { cause });
  }
}

function buildWith(
  { parameters }: ChainContext,
  { owner, depositAddress, deliveryDeposit, ttlSlot }: AddAssets,
  assets: readonly AddedAsset[],
): BuiltTransaction {
  const outputs = assets.map(({ unit, quantity }) => ({
    address: depositAddress,
    lovelace: deliveryDeposit,
    assets: new Map([[unit, quantity]]),
  }));
  return buildBalanced(parameters, owner, { outputs, ttlSlot });
}

function fits(chain: ChainContext, input: AddAssets, assets: readonly AddedAsset[]): boolean {
  try {
    buildWith(chain, input, assets);
    return true;
  } catch (cause) {
    if (cause instanceof TooManyInputs) return false;
    throw cause;
  }
}

/** The largest number below `count` that fits, zero when none does. */
function fittingCount(count: number, isFitting: (count: number) => boolean): number {
  let [most, tooMany] = [0, count];
  while (tooMany - most > 1) {
    const middle = Math.floor((most + tooMany) / 2);
    if (isFitting(middle)) most = middle;
    else tooMany = middle;
  }
  return most;
}

interface Invest {
  readonly investor: Payer;
  readonly depositAddress: string;
  /** The investment, without the delivery deposit. */
  readonly lovelace: Lovelace;
  readonly deliveryDeposit: Lovelace;
  readonly ttlSlot: number;
}

/** The investor sends ADA to their deposit address (output 0). */
export function buildInvest({ parameters }: ChainContext, input: Invest): BuiltTransaction {
  const deposited = lovelace(input.lovelace + input.deliveryDeposit);
  return buildBalanced(parameters, input.investor, {
    outputs: [{ address: input.depositAddress, lovelace: deposited, assets: new Map() }],
    ttlSlot: input.ttlSlot,
  });
}

interface DepositReturn {
  readonly deposits: readonly Deposit[];
  /** The keys that the scripts of the deposits need. */
  readonly signers: readonly KeyHash[];
  /** Those that the body names too, see `TransactionDraft`. */
  readonly enforcedSigners?: readonly KeyHash[];
  readonly ttlSlot: number;
}

interface ReturnedDeposit {
  readonly owner: string;
  readonly deposit: UtxoRef;
  readonly lovelaceReturned: Lovelace;
  readonly assets: ReadonlyMap<Unit, bigint>;
  readonly feeShare: Lovelace;
}

export interface BuiltDepositReturn {
  readonly transaction: BuiltTransaction;
  /** How many deposits it returns, counted from the first; the rest need another transaction. */
  readonly taken: number;
  readonly payments: readonly ReturnedDeposit[];
}

/** Returns deposits to their owners (removal, refund). Each deposit pays an equal share of the fee. */
export function buildDepositReturn({ parameters }: ChainContext, input: DepositReturn): BuiltDepositReturn {
  return buildLargestFitting(parameters, input.deposits.length, (taken) => {
    const deposits = input.deposits.slice(0, taken);
    const transaction = buildWithFee(parameters, (fee) => ({
      inputs: deposits,
      outputs: outputsOf(parameters, paymentsOf(deposits, fee)),
      ttlSlot: input.ttlSlot,
      signers: input.signers,
      ...(input.enforcedSigners && { enforcedSigners: input.enforcedSigners }),
    }));
    return { transaction, payments: paymentsOf(deposits, transaction.fee) };
  });
}

function paymentsOf(deposits: readonly Deposit[], fee: bigint): ReturnedDeposit[] {
  return deposits.map(({ owner, utxo: { txHash, index, ...held } }, position) => {
    const feeShare = lovelace(equalShare(fee, deposits.length, position));
    const lovelaceReturned = lovelace(requireNonNegative(held.lovelace - feeShare));
    return { owner, deposit: { txHash, index }, lovelaceReturned, assets: held.assets, feeShare };
  });
}

/** One output for each owner, several only if their assets do not fit into one. */
function outputsOf(parameters: ProtocolParameters, payments: readonly ReturnedDeposit[]): DraftOutput[] {
  const byOwner = Map.groupBy(payments, ({ owner }) => owner);
  return [...byOwner].flatMap(([owner, theirs]) =>
    splitIntoOutputs(
      parameters,
      owner,
      sumHoldings(theirs.map((payment) => ({ lovelace: payment.lovelaceReturned, assets: payment.assets }))),
    ),
  );
}
