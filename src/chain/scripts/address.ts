import { Address } from '@emurgo/cardano-serialization-lib-nodejs';
import { fieldError } from '../../domain/errors.ts';
import { type NativeScript, scriptHash } from './native-scripts.ts';
import type { KeyHash, NetworkId } from '../transaction.ts';
import { withWasm, toErrors } from '../wasm.ts';

export interface WalletAddress {
  /** Bech32, lower case. */
  readonly address: string;
  readonly paymentKeyHash: KeyHash;
}

/** Why an address is not accepted as a wallet (design D19). */
export type AddressRefusal = 'malformed' | 'byron' | 'stake' | 'script' | 'pointer' | 'wrong_network';

const refusals: Record<AddressRefusal, string> = {
  malformed: 'This is not a Cardano address',
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
  throw fieldError(read === 'wrong_network' ? 'WRONG_NETWORK' : 'INVALID_ADDRESS', field, refusals[read]);
}

/** As `parseWalletAddress`, but returns the refusal. */
export function readWalletAddress(text: string, networkId: NetworkId): WalletAddress | AddressRefusal {
  const read = readBech32(text);
  if (!read) return /^(Ae2|DdzFF|37bt|2cWK)[1-9A-HJ-NP-Za-km-z]+$/.test(text) ? 'byron' : 'malformed';
  const { address, bytes } = read;
  const header = bytes[0] ?? 0;
  const type = headerTypes[header >> 4] ?? 'malformed';
  if (type !== 'key') return type;
  if ((header & 0x0f) !== networkId) return 'wrong_network';
  return { address, paymentKeyHash: Buffer.from(bytes.subarray(1, 29)).toString('hex') };
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
  return bech32(`7${networkId}${scriptHash(script)}`);
}

/** Bech32 enterprise address of a payment key. */
export function keyAddress(keyHash: KeyHash, networkId: NetworkId): string {
  return bech32(`6${networkId}${keyHash}`);
}

function bech32(hex: string): string {
  return toErrors(() => withWasm(Address.from_hex(hex), (address) => address.to_bech32()));
}

/** Reads a bech32 address of any kind: its lower-case text and its bytes. Undefined for any other text. */
export function readBech32(text: string): { readonly address: string; readonly bytes: Uint8Array } | undefined {
  // Bech32 allows upper or lower case, never both.
  const address = text === text.toUpperCase() ? text.toLowerCase() : text;
  try {
    return withWasm(Address.from_bech32(address), (parsed) =>
      parsed.to_bech32() === address ? { address, bytes: parsed.to_bytes() } : undefined,
    );
  } catch {
    return undefined;
  }
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
