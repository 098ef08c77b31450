/** An item of the kinds COSE messages are made of. */
export type Cbor = number | string | boolean | null | Uint8Array | readonly Cbor[] | CborMap;
export type CborMap = ReadonlyMap<Cbor, Cbor>;

/** COSE messages nest three deep. A hostile one may not nest as deep as the call stack. */
const DEEPEST = 8;

/**
 * Reads exactly one item of definite length (RFC 8949), with distinct integers or texts as map keys; undefined for anything else.
 * Own code, because the ledger libraries lose their whole memory to an item that nests a few thousand deep.
 */
export function readCbor(bytes: Uint8Array): Cbor | undefined {
  try {
    const source = { bytes: Buffer.from(bytes), at: 0 };
    const item = readItem(source, 0);
    return source.at === bytes.length ? item : undefined;
  } catch (error) {
    if (error instanceof NotCbor) return undefined;
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

class NotCbor extends Error {}

interface Source {
  readonly bytes: Buffer;
  at: number;
}

function readItem(source: Source, depth: number): Cbor {
  if (depth > DEEPEST) throw new NotCbor();
  const initial = take(source, 1).readUInt8();
  const [major, info] = [initial >> 5, initial & 0x1f];
  if (major === 7) return simpleValue(info);
  const count = readCount(source, info);
  switch (major) {
    case 0:
      return count;
    case 1:
      return -1 - count;
    case 2:
      return take(source, count);
    case 3:
      return textOf(take(source, count));
    case 4:
      return readItems(source, count, depth);
    case 5:
      return readMap(source, count, depth);
    default:
      throw new NotCbor();
  }
}

function readItems(source: Source, count: number, depth: number): Cbor[] {
  const items: Cbor[] = [];
  // A count beyond the bytes ends at the first item that is not there.
  while (items.length < count) items.push(readItem(source, depth + 1));
  return items;
}

function readMap(source: Source, count: number, depth: number): CborMap {
  const map = new Map<Cbor, Cbor>();
  while (map.size < count) {
    const key = readItem(source, depth + 1);
    if ((typeof key !== 'number' && typeof key !== 'string') || map.has(key)) throw new NotCbor();
    map.set(key, readItem(source, depth + 1));
  }
  return map;
}

/** The number behind an initial byte; lengths that are open or beyond exact numbers are not read. */
function readCount(source: Source, info: number): number {
  if (info < 24) return info;
  const width = [1, 2, 4, 8][info - 24];
  if (width === undefined) throw new NotCbor();
  const bytes = take(source, width);
  const count = width === 8 ? Number(bytes.readBigUInt64BE()) : bytes.readUIntBE(0, width);
  if (!Number.isSafeInteger(count + 1)) throw new NotCbor();
  return count;
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
      throw new NotCbor();
  }
}

function textOf(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  if (!Buffer.from(text).equals(bytes)) throw new NotCbor();
  return text;
}

function take(source: Source, count: number): Buffer {
  const end = source.at + count;
  if (end > source.bytes.length) throw new NotCbor();
  const bytes = source.bytes.subarray(source.at, end);
  source.at = end;
  return bytes;
}
