import { lovelace } from '../../platform/units/money.ts';
import { splitIntoOutputs } from './outputs.ts';
import { buildWithFee } from './balance.ts';
import { requireNonNegative } from './values.ts';
import type { DraftInput } from './draft.ts';
import type { ChainContext } from '../ledger/parameters.ts';
import type { BuiltTransaction, KeyHash } from '../transaction.ts';

export interface Unstake {
  readonly stake: Required<DraftInput>;
  /** Address that everything returns to. */
  readonly owner: string;
  readonly ownerKeyHash: KeyHash;
  readonly vaultKeyHash: KeyHash;
  readonly ttlSlot: number;
}

/** Returns a stake to its owner (output 0); the return deposit pays the fee. Owner and vault sign. Throws INSUFFICIENT_FUNDS. */
export function buildUnstake({ parameters }: ChainContext, input: Unstake): BuiltTransaction {
  const { stake, owner, ttlSlot } = input;
  const signers = [input.vaultKeyHash, input.ownerKeyHash];
  return buildWithFee(parameters, (fee) => {
    const returned = { ...stake.utxo, lovelace: lovelace(requireNonNegative(stake.utxo.lovelace - fee)) };
    return {
      inputs: [stake],
      outputs: splitIntoOutputs(parameters, owner, returned),
      ttlSlot,
      signers,
      enforcedSigners: signers,
    };
  });
}
