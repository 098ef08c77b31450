import { blake2b256 } from '../cardano/blake2b.ts';
import { CborError } from '../cardano/cbor/fold.ts';
import type { CborTree } from '../cardano/cbor/item-tree.ts';
import { type CborMap, readCbor } from '../cardano/cbor/read-cbor.ts';

const NULL = 22;

/** The metadata of a transaction, whose hash the body has to name; null without any. Throws CborError for scripts beside it. */
export function metadataOf(auxiliary: CborTree, hash: string | null): CborMap | null {
  if (auxiliary.major === 7 && auxiliary.info === NULL && hash === null) return null;
  const metadata = readCbor(auxiliary.encoded);
  const found = Buffer.from(blake2b256(auxiliary.encoded)).toString('hex');
  if (!isMap(metadata) || found !== hash) throw new CborError('malformed');
  return metadata;
}

function isMap(item: unknown): item is CborMap {
  return item instanceof Map;
}
