import { CborError } from '../cardano/cbor/fold.ts';
import { byteStringHex, type CborTree } from '../cardano/cbor/item-tree.ts';
import type { UtxoRef } from '../transactions/rules/utxo-ref.ts';

/** A whole number of up to 64 bits, exact. Throws CborError for any other item. */
export function integerOf({ major, info, encoded }: CborTree): bigint {
  if (major !== 0 && major !== 1) throw new CborError('malformed');
  const argument = info < 24 ? BigInt(info) : BigInt(`0x${encoded.subarray(1).toString('hex')}`);
  return major === 0 ? argument : -1n - argument;
}

/** A reference to an output. Throws CborError for any other item. */
export function refOf({ major, items: [hash, index, ...others] }: CborTree): UtxoRef {
  if (major !== 4 || !index || others.length > 0) throw new CborError('malformed');
  return { txHash: byteStringHex(hash, 32), index: Number(integerOf(index)) };
}

/** The keys of a map with their values, in the order of the bytes; no key twice. Throws CborError for any other item. */
export function entriesOf({ major, items }: CborTree): readonly (readonly [key: CborTree, value: CborTree])[] {
  if (major !== 5) throw new CborError('malformed');
  const entries: (readonly [CborTree, CborTree])[] = [];
  for (let at = 0; at + 1 < items.length; at += 2) {
    const [key, value] = [items[at], items[at + 1]];
    if (key && value) entries.push([key, value]);
  }
  if (new Set(entries.map(([key]) => key.encoded.toString('hex'))).size < entries.length)
    throw new CborError('malformed');
  return entries;
}

/** A byte string of any length, in hex. Throws CborError for any other item. */
export function bytesOf(item: CborTree): string {
  return byteStringHex(item, item.content.length);
}
