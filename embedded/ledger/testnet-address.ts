import { Address } from '@emurgo/cardano-serialization-lib-nodejs';
import { readPaymentAddress } from '../../src/cardano/scripts/address.ts';
import { network } from './network.ts';

/** The address of this network that a bech32 text names; undefined for any other text. Only what is one reaches WASM (design D49). */
export function testnetAddress(text: string): Address | undefined {
  const address = readPaymentAddress(text, network.id);
  return address === undefined ? undefined : Address.from_bech32(address);
}
