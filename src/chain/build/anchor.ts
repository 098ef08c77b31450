import { lovelace } from '../../domain/units/money.ts';
import { splitIntoOutputs, buildWithFee, requireNonNegative, sumHoldings } from './balance.ts';
import type { Metadata } from './metadata.ts';
import type { ChainContext } from '../ledger/parameters.ts';
import type { BuiltTransaction, KeyHash, Utxo } from '../transaction.ts';

/** The metadata label all anchors stand under. */
export const anchorLabel = 868_483;

/** What a batch of facts comes to. */
export interface AnchoredBatch {
  /** Merkle root of the facts, in hex. */
  readonly root: string;
  /** How many they are. */
  readonly count: number;
}

export interface Anchor extends AnchoredBatch {
  readonly operator: { readonly address: string; readonly keyHash: KeyHash };
  /** The change of the anchor before (output 0), and operator UTxOs that fill the lane up. */
  readonly lane: readonly Utxo[];
  readonly ttlSlot: number;
}

/** Puts a batch's root on the ledger: the lane spends itself into its change (output 0), less the fee. Raises INSUFFICIENT_FUNDS when it has run dry. */
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

/** What an anchor says, version 1; a root of 32 bytes fits into one metadata text. */
function anchorMetadata({ root, count }: AnchoredBatch): Metadata {
  return { [anchorLabel]: { v: 1, root, count } };
}
