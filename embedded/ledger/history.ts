import { type OutputRef, type TransactionView, type Utxo, outputRefText } from './transaction-view.ts';

/** The position of a confirmed transaction and its bytes; everything else is decoded from the bytes on demand. */
export interface ConfirmedTransaction {
  hash: string;
  cbor: Uint8Array;
  height: number;
  index: number;
}

/** What was ever minted of an asset: the sum, and the transactions that changed it. */
export interface AssetHistory {
  quantity: bigint;
  mints: string[];
}

/** The history of the confirmed chain, oldest first; entries can be removed in reverse order. */
export function createHistory() {
  const transactions = new Map<string, ConfirmedTransaction>();
  const byAddress = new Map<string, string[]>();
  const byLabel = new Map<string, string[]>();
  const assets = new Map<string, AssetHistory>();
  const spenders = new Map<string, string>();

  return {
    transaction: (hash: string) => transactions.get(hash),
    addresses: () => byAddress.keys(),
    ofAddress: (address: string): readonly string[] => byAddress.get(address) ?? [],
    ofLabel: (label: string): readonly string[] => byLabel.get(label) ?? [],
    asset: (unit: string) => assets.get(unit),
    /** A transaction that has minted under a policy; undefined when none has. */
    mintOf: (policy: string) => [...assets].find(([unit]) => unit.slice(0, 56) === policy)?.[1].mints[0],
    spender: (place: OutputRef) => spenders.get(outputRefText(place)) ?? null,

    record(view: TransactionView, spent: Utxo[], place: { height: number; index: number }): void {
      transactions.set(view.hash, { hash: view.hash, cbor: view.cbor, ...place });
      for (const address of addressesOf(view, spent)) append(byAddress, address, view.hash);
      for (const label of view.labels) append(byLabel, label, view.hash);
      for (const input of view.inputs) spenders.set(outputRefText(input), view.hash);
      for (const [unit, quantity] of view.mint) {
        const asset = assets.get(unit) ?? { quantity: 0n, mints: [] };
        assets.set(unit, { quantity: asset.quantity + quantity, mints: [...asset.mints, view.hash] });
      }
    },

    /** Removes the newest transaction. */
    forget(view: TransactionView, spent: Utxo[]): void {
      transactions.delete(view.hash);
      for (const address of addressesOf(view, spent)) removeLast(byAddress, address);
      for (const label of view.labels) removeLast(byLabel, label);
      for (const input of view.inputs) spenders.delete(outputRefText(input));
      for (const [unit, quantity] of view.mint) {
        const asset = assets.get(unit);
        if (!asset) continue;
        if (asset.mints.length === 1) assets.delete(unit);
        else assets.set(unit, { quantity: asset.quantity - quantity, mints: asset.mints.slice(0, -1) });
      }
    },
  };
}

function addressesOf(view: TransactionView, spent: Utxo[]): Set<string> {
  return new Set([...spent.map((utxo) => utxo.output.address), ...view.outputs.map((output) => output.address)]);
}

function append(map: Map<string, string[]>, key: string, hash: string): void {
  const found = map.get(key);
  if (found) found.push(hash);
  else map.set(key, [hash]);
}

function removeLast(map: Map<string, string[]>, key: string): void {
  const found = map.get(key);
  found?.pop();
  if (found?.length === 0) map.delete(key);
}
