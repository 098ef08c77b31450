import type { NetworkId } from '../transaction.ts';

/** The protocol parameters that costs and limits of a transaction depend on; from /epochs/latest/parameters. */
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

/** The network that a transaction is built for. */
export interface ChainContext {
  readonly networkId: NetworkId;
  readonly parameters: ProtocolParameters;
}
