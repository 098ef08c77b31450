import { type Lovelace, lovelace } from '../../domain/units/money.ts';
import { minAda } from './costs.ts';
import type { DraftOutput } from './draft.ts';
import type { NativeScript } from '../scripts/native-scripts.ts';
import type { ProtocolParameters } from '../ledger/parameters.ts';
import type { Unit, Utxo } from '../transaction.ts';

/** One UTxO at an owner's deposit address, with what it takes to spend it. */
export interface Deposit {
  readonly utxo: Utxo;
  readonly script: NativeScript;
  /** Address everything unspent returns to. */
  readonly owner: string;
}

/** Lovelace that travels with an asset or an investment and pays for its way out again. */
export interface DeliveryDeposits {
  readonly asset: Lovelace;
  readonly investment: Lovelace;
}

/** Bytes of a signed transaction that moves a single deposit; in a batch each one's share is less. */
const LONE_DELIVERY_BYTES = 900n;
const STEP = 500_000n;
// Only the lengths of these two matter, and they are the same on every network.
const SCRIPT_ADDRESS = 'addr_test1wzmm5ctqaxw2v2xnlh0sp8sj9rcjmhhghzx4gwkx285r6fgp4ghu7';
const BASE_ADDRESS =
  'addr_test1qz2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer424242424242424242424242424242424242424242424qp420qe';

/**
 * The delivery deposits at these parameters: enough for custody, the owner's output and a fee share whatever the names and
 * quantities, rounded up to half an ADA (design D13b).
 */
export function deliveryDeposits(parameters: ProtocolParameters): DeliveryDeposits {
  const custody = minAda(parameters, largestOutput(SCRIPT_ADDRESS));
  const payout = minAda(parameters, largestOutput(BASE_ADDRESS));
  const fee = parameters.minFeeA * LONE_DELIVERY_BYTES + parameters.minFeeB;
  return { asset: roundedUp(custody + payout + fee), investment: roundedUp(payout + fee) };
}

/**
 * Operator's ADA that travels with the FT through a settlement and comes back at its end: room for the min-ADA of the settlement
 * output, of an LP share without ADA, of FT kept in custody without ADA, of the way back, and the last fee.
 */
export function settlementFloat(parameters: ProtocolParameters): Lovelace {
  const output = minAda(parameters, largestOutput(BASE_ADDRESS));
  return roundedUp(3n * output + parameters.minFeeA * LONE_DELIVERY_BYTES + parameters.minFeeB);
}

/** An output as large as one asset can make it: a name of 32 bytes and amounts of eight. */
function largestOutput(address: string): DraftOutput {
  const unit: Unit = 'f'.repeat(56 + 64);
  return { address, lovelace: lovelace(2n ** 62n), assets: new Map([[unit, 2n ** 62n]]) };
}

function roundedUp(amount: bigint): Lovelace {
  return lovelace(((amount + STEP - 1n) / STEP) * STEP);
}
