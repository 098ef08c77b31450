import type { Datum, DraftInput } from './draft.ts';
import { buildBalanced, type Payer } from './funding.ts';
import { smallestOutput } from './outputs.ts';
import { sumHoldings } from './values.ts';
import type { ChainContext } from '../ledger/parameters.ts';
import type { BuiltTransaction, KeyHash } from '../transaction.ts';

export interface VaultClosing {
  /** What holds the vault's NFT, its reference token, redeemed tokens and the operator's float. */
  readonly inputs: readonly DraftInput[];
  readonly custodyAddress: string;
  /** Describes the fractional token, some of which may be in wallets for ever. */
  readonly datum: Datum;
  readonly vaultKeyHash: KeyHash;
  /** Pays the fee and gets back what it added. */
  readonly operator: Payer;
  readonly ttlSlot: number;
}

/** Leaves the tokens that nobody can burn in one output in custody (output 0), the rest to the operator. Throws INSUFFICIENT_FUNDS. */
export function buildVaultClosing({ parameters }: ChainContext, input: VaultClosing): BuiltTransaction {
  const { inputs, custodyAddress: address, datum, vaultKeyHash, operator, ttlSlot } = input;
  const { assets } = sumHoldings(inputs.map(({ utxo }) => utxo));
  return buildBalanced(parameters, operator, {
    fixedInputs: inputs,
    outputs: [smallestOutput(parameters, { address, assets, datum })],
    ttlSlot,
    cosigners: [vaultKeyHash],
  });
}
