import { CborError, type CborItem, foldCbor } from './fold.ts';

/** The bytes of hex text in either case; none for text that is not hex. */
export function hexBytes(text: string): Buffer {
  return /^(?:[0-9a-f]{2})*$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.alloc(0);
}

/** A data item with the items inside it. */
export interface CborTree extends CborItem<CborTree> {
  readonly items: readonly CborTree[];
}

/** Scripts and data in a transaction nest far less. */
const MAX_DEPTH = 64;
const SET_TAG = 258;

/** Reads CBOR hex that is exactly one item. */
export function readCborTree(hex: string): CborTree {
  const [item, ...others] = foldCbor<CborTree>(hexBytes(hex), { maxDepth: MAX_DEPTH, build: (tree) => tree });
  if (!item || others.length > 0) throw new CborError('malformed');
  return item;
}

/** The values of a map whose keys are distinct numbers up to `lastKey`. */
export function numberedFields({ major, items }: CborTree, lastKey: number): ReadonlyMap<number, CborTree> {
  if (major !== 5) throw new CborError('malformed');
  const fields = new Map<number, CborTree>();
  for (let at = 0; at + 1 < items.length; at += 2) {
    const [key, value] = [items[at], items[at + 1]];
    if (key?.major !== 0 || key.argument === null || key.argument > lastKey || fields.has(key.argument) || !value)
      throw new CborError('malformed');
    fields.set(key.argument, value);
  }
  return fields;
}

/** The items of a list, which may have the tag for sets. */
export function setItems(item: CborTree): readonly CborTree[] {
  const list = item.major === 6 && item.argument === SET_TAG ? item.items[0] : item;
  if (list?.major !== 4) throw new CborError('malformed');
  return list.items;
}

/** The bytes of a byte string of this length, in hex. */
export function byteStringHex(item: CborTree | undefined, length: number): string {
  if (item?.major !== 2 || item.content.length !== length) throw new CborError('malformed');
  return item.content.toString('hex');
}
