import type { Lovelace } from '../../platform/units/money.ts';
import type { DraftInput } from './draft.ts';
import { buildBalanced, type Payer } from './funding.ts';
import { atLeastMinAda, smallestOutputs } from './outputs.ts';
import { sumHoldings } from './values.ts';
import type { ChainContext } from '../ledger/parameters.ts';
import type { BuiltTransaction, KeyHash } from '../transaction.ts';

export interface RemainderPayment {
  /** All outputs of the pot. */
  readonly pot: readonly DraftInput[];
  readonly claimsAddress: string;
  /** What nobody claimed; the pot holds it besides the operator's float. */
  readonly remainder: Lovelace;
  readonly recipient: string;
  readonly vaultKeyHash: KeyHash;
  /** Pays the fee and gets the float back. */
  readonly operator: Payer;
  readonly ttlSlot: number;
}

/**
 * Pays what nobody claimed to the wallet that was named for it (output 0), and at least what an output has to hold; redeemed tokens
 * stay at the claims address. Throws INSUFFICIENT_FUNDS, and RangeError when the pot holds less than the remainder.
 */
export function buildRemainderPayment({ parameters }: ChainContext, input: RemainderPayment): BuiltTransaction {
  const { pot, claimsAddress, remainder, recipient, vaultKeyHash, operator, ttlSlot } = input;
  const held = sumHoldings(pot.map(({ utxo }) => utxo));
  // The operator lends the min-ADA of outputs, never what the pot should have.
  if (held.lovelace < remainder) throw new RangeError(`the pot holds ${held.lovelace} of a remainder of ${remainder}`);
  const { assets } = held;
  return buildBalanced(parameters, operator, {
    fixedInputs: pot,
    outputs: [
      atLeastMinAda(parameters, { address: recipient, lovelace: remainder, assets: new Map() }),
      ...(assets.size === 0 ? [] : smallestOutputs(parameters, claimsAddress, assets)),
    ],
    ttlSlot,
    cosigners: [vaultKeyHash],
  });
}
