import { bytesOf, hexOf } from '../../platform/units/ids.ts';

export type Hash = (bytes: Uint8Array) => Uint8Array;

/** One step from a leaf to the root: the sibling hash, and the side it is on. */
export interface PathStep {
  readonly side: 'left' | 'right';
  /** Hex. */
  readonly hash: string;
}

export interface MerkleTree {
  /** Hex. */
  readonly root: string;
  /** The path from the leaf at `index` to the root; throws RangeError when there is no such leaf. */
  readonly pathOf: (index: number) => readonly PathStep[];
}

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
 * Merkle tree over leaves in hex, with node = hash(0x01 ‖ left ‖ right). A last node without a sibling moves up unchanged and is never
 * duplicated; no inner node can pass for a leaf (as in RFC 9162, section 2.1). Throws RangeError without leaves or for text that is
 * not hex.
 */
export function merkleTree(hash: Hash, leaves: readonly string[]): MerkleTree {
  const levels = [leaves.map(leafBytes)];
  for (let level = levels[0] ?? []; level.length > 1;) levels.push((level = parentsOf(hash, level)));
  const root = levels.at(-1)?.[0];
  if (!root) throw new RangeError('a tree needs at least one leaf');
  return { root: hexOf(root), pathOf: (index) => pathIn(levels, index) };
}

/** Whether the path leads from the fact to the root. Starts from the fact, so that an inner node cannot pass for a leaf. */
export function verifyInclusion(hash: Hash, { fact, path, root }: Inclusion): boolean {
  let node = factHash(hash, fact);
  for (const step of path) {
    const sibling = bytesOf(step.hash);
    if (sibling?.length !== node.length) return false;
    node = step.side === 'left' ? nodeOf(hash, sibling, node) : nodeOf(hash, node, sibling);
  }
  return hexOf(node) === root.toLowerCase();
}

function factHash(hash: Hash, fact: string): Uint8Array {
  return hash(concat(0, new TextEncoder().encode(fact)));
}

function parentsOf(hash: Hash, level: readonly Uint8Array[]): Uint8Array[] {
  return level.flatMap((node, position) => {
    if (position % 2 === 1) return [];
    const right = level[position + 1];
    return [right ? nodeOf(hash, node, right) : node];
  });
}

function pathIn(levels: readonly (readonly Uint8Array[])[], index: number): PathStep[] {
  if (levels[0]?.[index] === undefined) throw new RangeError(`there is no leaf ${index}`);
  return levels.flatMap((level, height): PathStep[] => {
    const position = Math.floor(index / 2 ** height);
    const side = position % 2 === 1 ? 'left' : 'right';
    const sibling = level[side === 'left' ? position - 1 : position + 1];
    return sibling ? [{ side, hash: hexOf(sibling) }] : [];
  });
}

function nodeOf(hash: Hash, left: Uint8Array, right: Uint8Array): Uint8Array {
  return hash(concat(1, left, right));
}

function concat(prefix: number, ...parts: readonly Uint8Array[]): Uint8Array {
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
  if (!bytes) throw new RangeError('a leaf must be hex');
  return bytes;
}

/** An entry of the audit chain: its hash stands for all entries up to it. */
export interface AuditHead {
  /** Number of the entry, from 1. */
  readonly seq: string;
  /** Hex. */
  readonly hash: string;
}

/** What is anchored of the audit log. The shape never changes, because proofs are made over it. */
export function auditHeadPayload({ seq, hash }: AuditHead) {
  return { kind: 'audit_log', seq, hash } as const;
}

/** The entry that an anchored text is about; null for the text of another fact. */
export function parseAuditHead(text: string): AuditHead | null {
  const { kind, seq, hash } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  return kind === 'audit_log' && typeof seq === 'string' && typeof hash === 'string' ? { seq, hash } : null;
}

/** Canonical text of a JSON value: no whitespace, fields sorted by name (RFC 8785). */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) return canonicalObject(value);
  const text: unknown = typeof value === 'number' && !Number.isFinite(value) ? undefined : JSON.stringify(value);
  if (typeof text !== 'string') throw new TypeError(`not JSON: ${typeof value}`);
  return text;
}

function canonicalObject(value: object): string {
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`).join(',')}}`;
}
