import type { Unit, Utxo } from '../../cardano/transaction.ts';
import { lovelace } from '../../platform/units/money.ts';
import type { UtxoRef } from '../rules/utxo-ref.ts';

/** A UTxO as it is stored in JSON: amounts as decimal strings. */
export interface StoredUtxo extends UtxoRef {
  readonly address: string;
  readonly lovelace: string;
  readonly assets: Readonly<Record<Unit, string>>;
}

/** The JSON-safe form of a UTxO. */
export function storedUtxo({ txHash, index, address, lovelace: coin, assets }: Utxo): StoredUtxo {
  return {
    txHash,
    index,
    address,
    lovelace: coin.toString(),
    assets: Object.fromEntries([...assets].map(([unit, quantity]) => [unit, quantity.toString()])),
  };
}

/** Reads a UTxO that `storedUtxo` wrote. */
export function readStoredUtxo(stored: StoredUtxo): Utxo {
  return {
    txHash: stored.txHash,
    index: stored.index,
    address: stored.address,
    lovelace: lovelace(BigInt(stored.lovelace)),
    assets: new Map(Object.entries(stored.assets).map(([unit, quantity]) => [unit, BigInt(quantity)])),
  };
}
