import { bech32 } from '@scure/base';
import { fieldError, type ServiceError } from '../../platform/errors.ts';
import { type NativeScript, scriptHash } from './native-script.ts';
import type { KeyHash, NetworkId } from '../transaction.ts';

export interface WalletAddress {
  /** Bech32, lower case. */
  readonly address: string;
  readonly paymentKeyHash: KeyHash;
}

/** Why an address is not accepted as a wallet (design D19). */
export type AddressRefusal = 'malformed' | 'hex' | 'byron' | 'stake' | 'script' | 'pointer' | 'wrong_network';

const refusalTexts: Record<AddressRefusal, string> = {
  malformed: 'This is not a Cardano address',
  hex: 'This is an address in hex, as CIP-30 wallets return it; write it in bech32, as addr1… or addr_test1…',
  byron: 'Byron addresses are not supported; use a Shelley address',
  stake: 'This is a stake address; a payment address is needed',
  script: 'This is a script address; an address with a payment key is needed',
  pointer: 'Pointer addresses are not supported',
  wrong_network: 'This address belongs to another network',
};

/** Reads a Shelley base or enterprise address with a payment key on this network; throws INVALID_ADDRESS or WRONG_NETWORK at `field`. */
export function parseWalletAddress(text: string, networkId: NetworkId, field = 'wallet_address'): WalletAddress {
  const read = readWalletAddress(text, networkId);
  if (typeof read !== 'string') return read;
  throw addressError(read, field);
}

/** The error about a field whose address was refused. */
export function addressError(refusal: AddressRefusal, field: string): ServiceError {
  return fieldError(refusal === 'wrong_network' ? 'WRONG_NETWORK' : 'INVALID_ADDRESS', field, refusalTexts[refusal]);
}

/** As `parseWalletAddress`, but returns the refusal. */
export function readWalletAddress(text: string, networkId: NetworkId): WalletAddress | AddressRefusal {
  const read = readBech32(text);
  if (!read) return unreadable(text);
  return readAddressBytes(read.bytes, networkId);
}

function unreadable(text: string): AddressRefusal {
  // Of a base address, and of one without a stake key.
  if (/^[0-9a-f]{114}$|^[0-9a-f]{58}$/i.test(text)) return 'hex';
  return /^(Ae2|DdzFF|37bt|2cWK)[1-9A-HJ-NP-Za-km-z]+$/.test(text) ? 'byron' : 'malformed';
}

/** As `readWalletAddress`, for an address in bytes. */
export function readAddressBytes(bytes: Uint8Array, networkId: NetworkId): WalletAddress | AddressRefusal {
  const header = bytes[0] ?? 0;
  const type = headerTypes[header >> 4] ?? 'malformed';
  if (type !== 'key') return type;
  if (!hasLengthOfType(bytes)) return 'malformed';
  if ((header & 0x0f) !== networkId) return 'wrong_network';
  return { address: writeBech32(Buffer.from(bytes).toString('hex')), paymentKeyHash: paymentKeyHashIn(bytes) };
}

/** Reads the stake address of a key on this network, in lower case; throws INVALID_ADDRESS or WRONG_NETWORK at `field`. */
export function parseStakeAddress(text: string, networkId: NetworkId, field: string): string {
  const { address, bytes } = readBech32(text) ?? {};
  const header = bytes?.[0] ?? 0;
  if (address === undefined || header >> 4 !== STAKE_KEY)
    throw fieldError('INVALID_ADDRESS', field, 'This is not the stake address of a key');
  if ((header & 0x0f) !== networkId) throw addressError('wrong_network', field);
  return address;
}

/** Header type of the stake address of a key (CIP-19). */
const STAKE_KEY = 14;

/** The hash of the payment key of a wallet address that was parsed before. */
export function paymentKeyHashOf(wallet: string): KeyHash {
  const keyHash = readPaymentKeyHash(wallet);
  if (keyHash === undefined) throw new Error(`not a wallet address: ${wallet}`);
  return keyHash;
}

/** The hash of the payment key of an address; undefined for any other text. */
export function readPaymentKeyHash(text: string): KeyHash | undefined {
  const { bytes } = readBech32(text) ?? {};
  return bytes && headerTypes[(bytes[0] ?? 0xff) >> 4] === 'key' ? paymentKeyHashIn(bytes) : undefined;
}

function paymentKeyHashIn(address: Uint8Array): KeyHash {
  return Buffer.from(address.subarray(1, 29)).toString('hex');
}

/** Reads a base or enterprise address of a key or script on this network; undefined for any other text. */
export function readPaymentAddress(text: string, networkId: NetworkId): string | undefined {
  const { address, bytes } = readBech32(text) ?? {};
  const header = bytes?.[0] ?? 0;
  const type = headerTypes[header >> 4];
  return (type === 'key' || type === 'script') && (header & 0x0f) === networkId ? address : undefined;
}

/** Bech32 enterprise address of a script. */
export function scriptAddress(script: NativeScript, networkId: NetworkId): string {
  return writeBech32(`7${networkId}${scriptHash(script)}`);
}

/** Bech32 enterprise address of a payment key. */
export function keyAddress(keyHash: KeyHash, networkId: NetworkId): string {
  return writeBech32(`6${networkId}${keyHash}`);
}

/** The longest address is a base address of a test network, with 108 characters. */
const MAX_LENGTH = 128;

/**
 * Reads a bech32 address of any kind (CIP-19): its lower-case text and its bytes. Undefined for any other text. The serialization
 * library is not used, because some texts make it trap (design D49).
 */
export function readBech32(text: string): { readonly address: string; readonly bytes: Uint8Array } | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const decoded = bech32.decodeUnsafe(text, MAX_LENGTH);
  const bytes = decoded && bech32.fromWordsUnsafe(decoded.words);
  if (!bytes || decoded.prefix !== prefixOf(bytes) || !hasLengthOfType(bytes)) return undefined;
  return { address: text.toLowerCase(), bytes };
}

/** The bech32 text of an address in hex. */
export function writeBech32(hex: string): string {
  const bytes = Buffer.from(hex, 'hex');
  return bech32.encode(prefixOf(bytes), bech32.toWords(bytes), MAX_LENGTH);
}

/** The human-readable part of an address, by its type and network (CIP-5). */
function prefixOf(bytes: Uint8Array): string {
  const header = bytes[0] ?? 0;
  return `${headerTypes[header >> 4] === 'stake' ? 'stake' : 'addr'}${(header & 0x0f) === 1 ? '' : '_test'}`;
}

/** One header byte, then credentials of 28 bytes each; a pointer is three numbers of at most ten bytes. */
function hasLengthOfType({ 0: header = 0, length }: Uint8Array): boolean {
  const type = header >> 4;
  if (type <= 3) return length === 57;
  if (type <= 5) return length >= 32 && length <= 59;
  return (type <= 7 || headerTypes[type] === 'stake') && length === 29;
}

/** By CIP-19 header type; missing types are not addresses. */
const headerTypes: Record<number, 'key' | AddressRefusal> = {
  0: 'key',
  1: 'script',
  2: 'key',
  3: 'script',
  4: 'pointer',
  5: 'pointer',
  6: 'key',
  7: 'script',
  8: 'byron',
  14: 'stake',
  15: 'stake',
};
