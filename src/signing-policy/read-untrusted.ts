import { CborError } from '../cardano/cbor/fold.ts';

/**
 * What bytes of a transaction say that the platform has not made sure of; null when they cannot be read. Anybody can send such a
 * transaction to a vault, and the vault has to go on.
 */
export function readUntrusted<Read>(bytes: string | null, read: (bytes: string) => Read): Read | null {
  if (bytes === null) return null;
  try {
    return read(bytes);
  } catch (error) {
    if (error instanceof CborError) return null;
    throw error;
  }
}
