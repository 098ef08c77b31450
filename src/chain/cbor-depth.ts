/** Far deeper than any transaction part nests, far shallower than what the serialization library survives. */
const DEEPEST = 64;

/**
 * Whether CBOR bytes (RFC 8949, tags and open lengths included) nest no deeper than the serialization library can read: at a
 * few thousand levels it loses its memory, and with it every later call of the process. Bytes that end early are shallow too.
 */
export function isShallowCbor(bytes: Uint8Array): boolean {
  /** Items still to come on each level; Infinity until a break. */
  const open: number[] = [];
  for (let at = 0; at < bytes.length;) {
    const head = readHead(bytes, at);
    at += head.width;
    if (head.kind === 'break') open.pop();
    else if (head.kind === 'content') at += head.length;
    else open.push(head.items);
    if (open.length > DEEPEST) return false;
    closeLevels(open, head.kind === 'level');
  }
  return true;
}

type Head = { readonly width: number } & (
  | { readonly kind: 'level'; readonly items: number }
  | { readonly kind: 'content'; readonly length: number }
  | { readonly kind: 'break' }
);

/** Counts the item that just ended, and every level that ended with it. */
function closeLevels(open: number[], opened: boolean): void {
  if (opened && open.at(-1) !== 0) return;
  for (;;) {
    while (open.at(-1) === 0) open.pop();
    const left = open.pop();
    if (left === undefined) return;
    open.push(left - 1);
    if (left - 1 > 0) return;
  }
}

function readHead(bytes: Uint8Array, at: number): Head {
  const initial = bytes[at] ?? 0;
  const [major, info] = [initial >> 5, initial & 0x1f];
  if (initial === 0xff) return { kind: 'break', width: 1 };
  const isOpen = info === 31;
  const { argument, width } = isOpen ? { argument: Infinity, width: 1 } : readArgument(bytes, at, info);
  switch (major) {
    case 2:
    case 3:
      return isOpen ? { kind: 'level', items: Infinity, width } : { kind: 'content', length: argument, width };
    case 4:
      return { kind: 'level', items: argument, width };
    case 5:
      return { kind: 'level', items: 2 * argument, width };
    case 6:
      return { kind: 'level', items: 1, width };
    default:
      return { kind: 'content', length: 0, width };
  }
}

function readArgument(bytes: Uint8Array, at: number, info: number): { argument: number; width: number } {
  if (info < 24) return { argument: info, width: 1 };
  const extra = 2 ** (info - 24);
  let argument = 0;
  for (const byte of bytes.subarray(at + 1, at + 1 + extra)) argument = argument * 256 + byte;
  return { argument, width: 1 + extra };
}
