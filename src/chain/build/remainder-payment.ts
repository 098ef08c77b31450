import { type Lovelace, lovelace } from '../../domain/units/money.ts';
import type { DraftInput } from './draft.ts';
import { buildBalanced, type Payer } from './funding.ts';
import { smallestOutputs } from './outputs.ts';
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
 * Pays what nobody claimed to the wallet that was named for it (output 0); redeemed tokens stay at the claims address. Throws
 * INSUFFICIENT_FUNDS.
 */
export function buildRemainderPayment({ parameters }: ChainContext, input: RemainderPayment): BuiltTransaction {
  const { pot, claimsAddress, remainder, recipient, vaultKeyHash, operator, ttlSlot } = input;
  const { assets } = sumHoldings(pot.map(({ utxo }) => utxo));
  return buildBalanced(parameters, operator, {
    fixedInputs: pot,
    outputs: [
      { address: recipient, lovelace: lovelace(remainder), assets: new Map() },
      ...(assets.size === 0 ? [] : smallestOutputs(parameters, claimsAddress, assets)),
    ],
    ttlSlot,
    cosigners: [vaultKeyHash],
  });
}
