import { Address } from '@emurgo/cardano-serialization-lib-nodejs';
import { network } from './network.ts';

/** The address of this network that a bech32 text names; undefined for any other text. */
export function testnetAddress(text: string): Address | undefined {
  if (!/^addr_test1[a-z0-9]+$/.test(text)) return undefined;
  try {
    const address = Address.from_bech32(text);
    return address.network_id() === network.id ? address : undefined;
  } catch (thrown) {
    // CSL throws plain strings for a bad checksum or length.
    if (typeof thrown === 'string') return undefined;
    throw thrown;
  }
}
