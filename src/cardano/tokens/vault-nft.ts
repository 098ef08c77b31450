import { type Metadata, type Metadatum, metadataText } from '../build/metadata.ts';
import { nameHexWithin } from './fractional-token.ts';
import type { KeyHash } from '../transaction.ts';

/** Asset name of a vault's own NFT: the vault's name, cut to whole characters within the 32 bytes that the ledger allows. */
export function vaultNftNameHex(vaultName: string): string {
  return nameHexWithin(vaultName, 32);
}

/** Digits of a key hash that are a safe integer. */
const LABEL_DIGITS = 12;

/**
 * The metadata label of a vault's creation. It follows from the vault's key alone, so that nobody hides a creation from the worker by what
 * rows say of the vault.
 */
export function creationLabel(policyKeyHash: KeyHash): number {
  return Number.parseInt(policyKeyHash.slice(0, LABEL_DIGITS), 16);
}

/** The public description of the vault's own NFT. */
export interface VaultNft {
  readonly policyId: string;
  readonly nameHex: string;
  readonly name: string;
  readonly description?: string;
  readonly image?: string;
  /** Further properties, e.g. vault type and token supply. */
  readonly properties?: Readonly<Record<string, string | number>>;
}

/** CIP-25 (label 721) metadata, version 1: the NFT is listed under its name as text. */
export function vaultNftMetadata({ policyId, nameHex, name, description, image, properties = {} }: VaultNft): Metadata {
  const about: Record<string, Metadatum> = { name: metadataText(name) };
  if (image !== undefined) about['image'] = metadataText(image);
  if (description !== undefined) about['description'] = metadataText(description);
  for (const [key, value] of Object.entries(properties)) {
    about[key] = typeof value === 'number' ? value : metadataText(value);
  }
  return { 721: { [policyId]: { [Buffer.from(nameHex, 'hex').toString()]: about } } };
}
