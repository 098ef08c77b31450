import { lovelace } from '../../platform/units/money.ts';
import { splitIntoOutputs } from './outputs.ts';
import { buildWithFee } from './funding.ts';
import { requireNonNegative, sumHoldings, type Value } from './values.ts';
import type { DraftOutput } from './draft.ts';
import type { ChainContext, ProtocolParameters } from '../ledger/parameters.ts';
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
  /** The change of the previous anchor (output 0), and operator UTxOs that refill the anchor chain. */
  readonly inputs: readonly Utxo[];
  readonly ttlSlot: number;
}

/**
 * What an anchor chain keeps when it holds more than the limit. It takes whole outputs of the operator, and the only one that is free may hold all that
 * the operator has, which nothing else could then spend.
 */
const KEPT_BY_ANCHOR_CHAIN = lovelace(100_000_000n);
const SURPLUS_LIMIT = lovelace(250_000_000n);

/**
 * Records the root of a batch on the ledger: spends the anchor chain into its change (output 0), less the fee, and gives back its surplus (output 1).
 */
export function buildAnchor({ parameters }: ChainContext, input: Anchor): BuiltTransaction {
  const { address, keyHash } = input.operator;
  const held = sumHoldings(input.inputs);
  return buildWithFee(parameters, (fee) => ({
    inputs: input.inputs.map((utxo) => ({ utxo })),
    outputs: changeOf(parameters, address, { ...held, lovelace: lovelace(requireNonNegative(held.lovelace - fee)) }),
    // Version 1. A root of 32 bytes (64 hex digits) fits into one metadata text.
    metadata: { [anchorLabel]: { v: 1, root: input.root, count: input.count } },
    ttlSlot: input.ttlSlot,
    signers: [keyHash],
  }));
}

function changeOf(parameters: ProtocolParameters, address: string, left: Value): DraftOutput[] {
  if (left.assets.size > 0 || left.lovelace <= SURPLUS_LIMIT) return splitIntoOutputs(parameters, address, left);
  const outputOf = (amount: bigint) => ({ address, lovelace: lovelace(amount), assets: left.assets });
  return [outputOf(KEPT_BY_ANCHOR_CHAIN), outputOf(left.lovelace - KEPT_BY_ANCHOR_CHAIN)];
}
