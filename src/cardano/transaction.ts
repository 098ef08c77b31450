import type { Lovelace } from '../platform/units/money.ts';
import type { UtxoRef } from '../transactions/rules.ts';

/** Policy id (56 hex digits) followed by the asset name in hex. */
export type Unit = string;
/** Blake2b-224 of a payment key, in hex. */
export type KeyHash = string;
/** 0 = a test network, 1 = mainnet. */
export type NetworkId = 0 | 1;

/** The address, lovelace and assets of an output. */
export interface Holding {
  readonly address: string;
  readonly lovelace: Lovelace;
  readonly assets: ReadonlyMap<Unit, bigint>;
}

export interface Utxo extends UtxoRef, Holding {}

export interface TransactionOutput extends Holding {
  readonly index: number;
}

/** A transaction whose body, and so its hash, is final; only witnesses are missing. */
export interface BuiltTransaction {
  readonly hash: string;
  /** Unsigned transaction in CBOR hex: body, native scripts, metadata. */
  readonly cbor: string;
  readonly inputs: readonly Utxo[];
  readonly outputs: readonly TransactionOutput[];
  /** The first slot in which it is no longer valid. */
  readonly ttlSlot: number;
  readonly fee: Lovelace;
  /** Every key hash that is asked to sign; the fee covers their witnesses. */
  readonly requiredSigners: readonly KeyHash[];
}

/** The output of a transaction as the next transaction's input. */
export function outputUtxo(transaction: Pick<BuiltTransaction, 'hash' | 'outputs'>, index: number): Utxo {
  const output = transaction.outputs[index];
  if (!output) throw new RangeError(`transaction ${transaction.hash} has no output ${index}`);
  const { address, lovelace: coin, assets } = output;
  return { txHash: transaction.hash, index, address, lovelace: coin, assets };
}
