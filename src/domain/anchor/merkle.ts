import { bytesOf, hexOf } from '../units/hex.ts';

export type Hash = (bytes: Uint8Array) => Uint8Array;

/** The hash beside one's own on the way to the root, and on which side it stands. */
export interface PathStep {
  readonly side: 'left' | 'right';
  /** Hex. */
  readonly hash: string;
}

export interface MerkleTree {
  /** Hex. */
  readonly root: string;
  /** From the leaf at `index` up; throws RangeError where there is none. */
  readonly pathOf: (index: number) => readonly PathStep[];
}

/** Everything it takes to check that a fact stands under a root. */
export interface Inclusion {
  /** The canonical text. */
  readonly fact: string;
  readonly path: readonly PathStep[];
  /** Hex. */
  readonly root: string;
}

/** The hash of a fact's UTF-8 text, in hex: leaf = hash(0x00 ‖ fact). */
export function leafOf(hash: Hash, fact: string): string {
  return hexOf(factHash(hash, fact));
}

/**
 * The tree over leaves in hex, with node = hash(0x01 ‖ left ‖ right): a last one without a neighbour moves up as it is, never
 * doubled, and no node passes for a leaf (the shape of RFC 9162, section 2.1). Throws RangeError for no leaves or no hex.
 */
export function merkleTree(hash: Hash, leaves: readonly string[]): MerkleTree {
  const levels = [leaves.map(leafBytes)];
  for (let level = levels[0] ?? []; level.length > 1;) levels.push((level = parentsOf(hash, level)));
  const root = levels.at(-1)?.[0];
  if (!root) throw new RangeError('a tree has leaves');
  return { root: hexOf(root), pathOf: (index) => pathIn(levels, index) };
}

/** The path of one leaf among several; see `merkleTree` for many of them. */
export function inclusionPath(hash: Hash, leaves: readonly string[], index: number): readonly PathStep[] {
  return merkleTree(hash, leaves).pathOf(index);
}

/** Whether the path leads from the fact to the root; starts from the fact, so that an inner node cannot pose as a leaf. */
export function verifyInclusion(hash: Hash, { fact, path, root }: Inclusion): boolean {
  let node = factHash(hash, fact);
  for (const step of path) {
    const beside = bytesOf(step.hash);
    if (beside?.length !== node.length) return false;
    node = step.side === 'left' ? nodeOf(hash, beside, node) : nodeOf(hash, node, beside);
  }
  return hexOf(node) === root.toLowerCase();
}

function factHash(hash: Hash, fact: string): Uint8Array {
  return hash(joined(0, new TextEncoder().encode(fact)));
}

function parentsOf(hash: Hash, level: readonly Uint8Array[]): Uint8Array[] {
  return level.flatMap((node, position) => {
    if (position % 2 === 1) return [];
    const neighbour = level[position + 1];
    return [neighbour ? nodeOf(hash, node, neighbour) : node];
  });
}

function pathIn(levels: readonly (readonly Uint8Array[])[], index: number): PathStep[] {
  if (levels[0]?.[index] === undefined) throw new RangeError(`there is no leaf ${index}`);
  return levels.flatMap((level, height): PathStep[] => {
    const position = Math.floor(index / 2 ** height);
    const side = position % 2 === 1 ? 'left' : 'right';
    const beside = level[side === 'left' ? position - 1 : position + 1];
    return beside ? [{ side, hash: hexOf(beside) }] : [];
  });
}

function nodeOf(hash: Hash, left: Uint8Array, right: Uint8Array): Uint8Array {
  return hash(joined(1, left, right));
}

function joined(prefix: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(1 + parts.reduce((length, part) => length + part.length, 0));
  bytes[0] = prefix;
  let at = 1;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function leafBytes(hex: string): Uint8Array {
  const bytes = bytesOf(hex);
  if (!bytes) throw new RangeError('a leaf is hex');
  return bytes;
}
