import { type OutputRef, type Utxo, outputRefText } from './transaction-view.ts';

/** The unspent outputs of the confirmed chain, by reference, address and asset. */
export function createUtxoIndex() {
  const all = new Map<string, Utxo>();
  const byAddress = new Map<string, Map<string, Utxo>>();
  const byUnit = new Map<string, Map<string, Utxo>>();

  return {
    all: () => all.values(),
    at: (address: string): Utxo[] => [...(byAddress.get(address)?.values() ?? [])],
    holding: (unit: string): Utxo[] => [...(byUnit.get(unit)?.values() ?? [])],
    add(utxo: Utxo): void {
      const ref = outputRefText(utxo);
      all.set(ref, utxo);
      bucket(byAddress, utxo.output.address).set(ref, utxo);
      for (const unit of utxo.output.amounts.keys()) if (unit !== 'lovelace') bucket(byUnit, unit).set(ref, utxo);
    },
    /** Removes a spent output; throws when it is missing, because then index and rules disagree. */
    remove(place: OutputRef): Utxo {
      const ref = outputRefText(place);
      const utxo = all.get(ref);
      if (!utxo) throw new Error(`no unspent output ${ref}`);
      all.delete(ref);
      drop(byAddress, utxo.output.address, ref);
      for (const unit of utxo.output.amounts.keys()) if (unit !== 'lovelace') drop(byUnit, unit, ref);
      return utxo;
    },
  };
}

function bucket<V>(map: Map<string, Map<string, V>>, key: string): Map<string, V> {
  const found = map.get(key) ?? new Map<string, V>();
  map.set(key, found);
  return found;
}

function drop<V>(map: Map<string, Map<string, V>>, key: string, entry: string): void {
  const found = map.get(key);
  found?.delete(entry);
  if (found?.size === 0) map.delete(key);
}
