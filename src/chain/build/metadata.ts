/** Transaction metadata (CDDL `transaction_metadatum`), without byte strings: all ours is readable text. */
export type Metadatum = string | number | readonly Metadatum[] | { readonly [key: string]: Metadatum };

/** Metadata by label, e.g. 721 (CIP-25). */
export type Metadata = Readonly<Record<number, Metadatum>>;

/** Text as CIP-25 wants it: at most 64 bytes of UTF-8 in one string, longer text as a list of parts. */
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

/** Metadata in the JSON form the serialization library reads. */
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
