import { lovelace } from '../../domain/units/money.ts';
import { splitIntoOutputs } from './outputs.ts';
import { buildWithFee } from './balance.ts';
import { requireNonNegative, sumHoldings } from './values.ts';
import type { Metadata } from './metadata.ts';
import type { ChainContext } from '../ledger/parameters.ts';
import type { BuiltTransaction, KeyHash, Utxo } from '../transaction.ts';

/** Metadata label of all anchors. */
export const anchorLabel = 868_483;

/** A batch of facts, as its anchor records it. */
export interface AnchoredBatch {
  /** Merkle root of the facts, in hex. */
  readonly root: string;
  /** How many facts. */
  readonly count: number;
}

export interface Anchor extends AnchoredBatch {
  readonly operator: { readonly address: string; readonly keyHash: KeyHash };
  /** The change of the previous anchor (output 0), and operator UTxOs that refill the lane. */
  readonly lane: readonly Utxo[];
  readonly ttlSlot: number;
}

/** Records the root of a batch on the ledger: spends the lane into its change (output 0), less the fee. Throws INSUFFICIENT_FUNDS when the lane cannot pay. */
export function buildAnchor({ parameters }: ChainContext, input: Anchor): BuiltTransaction {
  const { address, keyHash } = input.operator;
  const held = sumHoldings(input.lane);
  return buildWithFee(parameters, (fee) => ({
    inputs: input.lane.map((utxo) => ({ utxo })),
    outputs: splitIntoOutputs(parameters, address, {
      ...held,
      lovelace: lovelace(requireNonNegative(held.lovelace - fee)),
    }),
    metadata: anchorMetadata(input),
    ttlSlot: input.ttlSlot,
    signers: [keyHash],
  }));
}

/** Version 1. A root of 32 bytes (64 hex digits) fits into one metadata text. */
function anchorMetadata({ root, count }: AnchoredBatch): Metadata {
  return { [anchorLabel]: { v: 1, root, count } };
}
