import { type Lovelace, lovelace } from '../../platform/units/money.ts';
import { minAda } from './costs.ts';
import type { DraftOutput } from './draft.ts';
import { parseWalletAddress } from '../scripts/address.ts';
import type { NativeScript } from '../scripts/native-script.ts';
import { depositAddressOf } from '../scripts/script-addresses.ts';
import type { ProtocolParameters } from '../ledger/parameters.ts';
import type { NetworkId, Unit, Utxo } from '../transaction.ts';

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

/** A deposit as a transaction spends it. Throws when the output is not at the owner's deposit address. */
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
export interface DeliveryDeposits {
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
