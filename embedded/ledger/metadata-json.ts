import {
  type GeneralTransactionMetadata,
  MetadataJsonSchema,
  decode_metadatum_to_json_str,
} from '@emurgo/cardano-serialization-lib-nodejs';

/** Metadata as Blockfrost shows it: one entry per label, bytes as 0x… text, numbers with every digit. */
export function metadataJson(
  metadata: GeneralTransactionMetadata | undefined,
): { label: string; json_metadata: unknown }[] {
  if (!metadata) return [];
  const labels = metadata.keys();
  return Array.from({ length: labels.len() }, (_, index) => {
    const label = labels.get(index);
    const metadatum = metadata.get(label);
    const text = metadatum && decode_metadatum_to_json_str(metadatum, MetadataJsonSchema.BasicConversions);
    return { label: label.to_str(), json_metadata: text === undefined ? null : parseExactly(text) };
  });
}

// Token supplies exceed 2^53, so numbers keep all digits.
function parseExactly(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown, { source = '' }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) ? JSON.rawJSON(source) : value,
  );
}

declare global {
  // In Node 24, but not yet in TypeScript's library.
  interface JSON {
    rawJSON(text: string): unknown;
    parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  }
}
