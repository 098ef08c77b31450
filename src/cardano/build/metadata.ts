/** Transaction metadata (CDDL `transaction_metadatum`), without byte strings: we write readable text only. */
export type Metadatum = string | number | readonly Metadatum[] | { readonly [key: string]: Metadatum };

/** Metadata by label, e.g. 721 (CIP-25). */
export type Metadata = Readonly<Record<number, Metadatum>>;

/** Text as CIP-25 requires it: one string of at most 64 bytes of UTF-8, or a list of such strings for longer text. */
export function metadataText(text: string): Metadatum {
  const parts: string[] = [];
  let part = '';
  for (const character of text) {
    if (Buffer.byteLength(part + character) > 64) {
      parts.push(part);
      part = '';
    }
    part += character;
  }
  return parts.length === 0 ? part : [...parts, part];
}

/** Metadata in the JSON form that the serialization library reads. */
export function cslMetadata(metadata: Metadata): Record<string, string> {
  return Object.fromEntries(
    Object.entries(metadata).map(([label, content]) => [label, JSON.stringify(detailed(content))]),
  );
}

function detailed(content: Metadatum): object {
  if (typeof content === 'string') return { string: content };
  if (typeof content === 'number') return { int: content };
  if (isList(content)) return { list: content.map(detailed) };
  return { map: Object.entries(content).map(([key, value]) => ({ k: { string: key }, v: detailed(value) })) };
}

function isList(content: Metadatum): content is readonly Metadatum[] {
  return Array.isArray(content);
}
