import { CborError, type CborItem, foldCbor } from './fold.ts';

/** The data items that COSE messages consist of. */
export type Cbor = number | string | boolean | null | Uint8Array | readonly Cbor[] | CborMap;
export type CborMap = ReadonlyMap<Cbor, Cbor>;

/** COSE messages nest three deep; a hostile message must not exhaust the call stack. */
const MAX_DEPTH = 8;

/**
 * Reads exactly one item of definite length, with distinct integers or texts as map keys; undefined for anything else (tags and
 * floats too). This reader is our own, because items that nest a few thousand deep corrupt the memory of the ledger libraries.
 */
export function readCbor(bytes: Uint8Array): Cbor | undefined {
  try {
    const [item, ...others] = foldCbor(bytes, { maxDepth: MAX_DEPTH, build: valueOf });
    return others.length === 0 ? item : undefined;
  } catch (error) {
    if (error instanceof CborError) return undefined;
    throw error;
  }
}

/** A byte string in its shortest form. */
export function writeByteString(bytes: Uint8Array): Buffer {
  const { length } = bytes;
  if (length < 24) return Buffer.concat([Buffer.from([0x40 + length]), bytes]);
  const width = length < 0x100 ? 1 : length < 0x1_0000 ? 2 : 4;
  const head = Buffer.from([0x58 + Math.log2(width), 0, 0, 0, 0]).subarray(0, 1 + width);
  head.writeUIntBE(length, 1, width);
  return Buffer.concat([head, bytes]);
}

function valueOf({ major, info, argument, content, items }: CborItem<Cbor>): Cbor {
  if (major === 7) return simpleValue(info);
  if (argument === null || !Number.isSafeInteger(argument + 1)) throw new CborError('malformed');
  switch (major) {
    case 0:
      return argument;
    case 1:
      return -1 - argument;
    case 2:
      return content;
    case 3:
      return textOf(content);
    case 4:
      return items;
    case 5:
      return mapOf(items);
    default:
      throw new CborError('malformed');
  }
}

function mapOf(items: readonly Cbor[]): CborMap {
  const map = new Map<Cbor, Cbor>();
  for (const [position, key] of items.entries()) {
    if (position % 2 === 1) continue;
    const value = items[position + 1];
    if ((typeof key !== 'number' && typeof key !== 'string') || map.has(key) || value === undefined)
      throw new CborError('malformed');
    map.set(key, value);
  }
  return map;
}

function simpleValue(info: number): boolean | null {
  switch (info) {
    case 20:
      return false;
    case 21:
      return true;
    case 22:
      return null;
    default:
      throw new CborError('malformed');
  }
}

function textOf(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  if (!Buffer.from(text).equals(bytes)) throw new CborError('malformed');
  return text;
}
