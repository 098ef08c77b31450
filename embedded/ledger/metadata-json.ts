import {
  type GeneralTransactionMetadata,
  MetadataJsonSchema,
  decode_metadatum_to_json_str,
} from '@emurgo/cardano-serialization-lib-nodejs';

/** Metadata as Blockfrost shows it: one entry per label, bytes as 0x… text, numbers exact only up to 2^53. */
export function metadataJson(
  metadata: GeneralTransactionMetadata | undefined,
): { label: string; json_metadata: unknown }[] {
  if (!metadata) return [];
  const labels = metadata.keys();
  return Array.from({ length: labels.len() }, (_, index) => {
    const label = labels.get(index);
    const metadatum = metadata.get(label);
    const text = metadatum && decode_metadatum_to_json_str(metadatum, MetadataJsonSchema.BasicConversions);
    return { label: label.to_str(), json_metadata: text === undefined ? null : (JSON.parse(text) as unknown) };
  });
}
