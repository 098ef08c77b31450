/** A CBOR data item (RFC 8949, section 3) with the values that were built from the items inside it. */
export interface CborItem<Value> {
  readonly major: number;
  /** Additional information: the low five bits of the initial byte. */
  readonly info: number;
  /** Number, length or count after the initial byte; beyond 2^53 it is not exact. Null = indefinite length. */
  readonly argument: number | null;
  /** Of a byte or text string of definite length. */
  readonly content: Buffer;
  /** The encoding of the whole item. */
  readonly encoded: Buffer;
  /** Of a list, a map (keys and values in turn), a tag, or a string of indefinite length (its chunks). */
  readonly items: readonly Value[];
}

/** Bytes that are not CBOR, or not CBOR that may be read. */
export class CborError extends Error {
  readonly reason: 'malformed' | 'truncated' | 'too_deep';

  constructor(reason: CborError['reason']) {
    super(`CBOR is ${reason}`);
    this.reason = reason;
  }
}

export interface CborFold<Value> {
  /** Items on top have depth 0. */
  readonly maxDepth: number;
  /** Called for every item, after the items inside it. */
  build(item: CborItem<Value>): Value;
}

/** Builds a value from each data item in `bytes`, from the inside out. */
export function foldCbor<Value>(bytes: Uint8Array, fold: CborFold<Value>): Value[] {
  const source = { bytes: Buffer.from(bytes), at: 0 };
  const values: Value[] = [];
  while (source.at < bytes.length) values.push(foldItem(source, fold, 0));
  return values;
}

const BREAK = 0xff;
const INDEFINITE = 31;
const NO_CONTENT = Buffer.alloc(0);
const NO_ITEMS: readonly never[] = [];

interface Source {
  readonly bytes: Buffer;
  at: number;
}

function foldItem<Value>(source: Source, fold: CborFold<Value>, depth: number): Value {
  if (depth > fold.maxDepth) throw new CborError('too_deep');
  const start = source.at;
  const initial = take(source, 1).readUInt8();
  const [major, info] = [initial >> 5, initial & 0x1f];
  const argument = readArgument(source, major, info);
  const isString = major === 2 || major === 3;
  const content = isString && argument !== null ? take(source, argument) : NO_CONTENT;
  const count = itemsInside(major, argument);
  const items = count === 0 ? NO_ITEMS : foldItems(source, fold, depth + 1, count);
  return fold.build({ major, info, argument, content, items, encoded: source.bytes.subarray(start, source.at) });
}

/** How many items an item has inside; null = up to the break. */
function itemsInside(major: number, argument: number | null): number | null {
  if (major === 2 || major === 3) return argument === null ? null : 0;
  if (major === 4) return argument;
  if (major === 5) return argument && 2 * argument;
  return major === 6 ? 1 : 0;
}

/** `count` items; null = up to the break. A count beyond the bytes ends at the first item that is missing. */
function foldItems<Value>(source: Source, fold: CborFold<Value>, depth: number, count: number | null): Value[] {
  const values: Value[] = [];
  while (values.length < (count ?? Infinity)) {
    if (count === null && source.bytes[source.at] === BREAK) {
      source.at += 1;
      return values;
    }
    values.push(foldItem(source, fold, depth));
  }
  return values;
}

function readArgument(source: Source, major: number, info: number): number | null {
  if (info < 24) return info;
  if (info === INDEFINITE && major >= 2 && major <= 5) return null;
  const width = [1, 2, 4, 8][info - 24];
  if (width === undefined) throw new CborError('malformed');
  const bytes = take(source, width);
  return width === 8 ? Number(bytes.readBigUInt64BE()) : bytes.readUIntBE(0, width);
}

function take(source: Source, count: number): Buffer {
  const end = source.at + count;
  if (end > source.bytes.length) throw new CborError('truncated');
  const bytes = source.bytes.subarray(source.at, end);
  source.at = end;
  return bytes;
}
