import { lovelace } from '../../domain/units/money.ts';
import { splitIntoOutputs, buildWithFee, requireNonNegative } from './balance.ts';
import type { DraftInput } from './draft.ts';
import type { ChainContext } from '../ledger/parameters.ts';
import type { BuiltTransaction, KeyHash } from '../transaction.ts';

export interface Unstake {
  readonly stake: Required<DraftInput>;
  /** Address everything returns to. */
  readonly owner: string;
  readonly ownerKeyHash: KeyHash;
  readonly vaultKeyHash: KeyHash;
  readonly ttlSlot: number;
}

/** Everything staked returns to its owner (output 0), who signs with the vault; its return deposit pays the fee. Raises INSUFFICIENT_FUNDS. */
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
      namedSigners: signers,
    };
  });
}
