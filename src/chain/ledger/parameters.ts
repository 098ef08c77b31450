import type { NetworkId } from '../transaction.ts';

/** The protocol parameters that decide what a transaction costs; from /epochs/latest/parameters. */
export interface ProtocolParameters {
  /** Lovelace per byte of a transaction. */
  readonly minFeeA: bigint;
  /** Lovelace per transaction. */
  readonly minFeeB: bigint;
  /** Lovelace an output must hold per byte of its encoding (and of 160 bytes more). */
  readonly coinsPerUtxoByte: bigint;
  /** Bytes. */
  readonly maxValueSize: number;
  /** Bytes. */
  readonly maxTxSize: number;
}

/** What every builder needs to know of its network. */
export interface ChainContext {
  readonly networkId: NetworkId;
  readonly parameters: ProtocolParameters;
}
