import { CborError } from '../../../chain/cbor/fold.ts';

/**
 * What the bytes of somebody's transaction say; null when they cannot be read. Anybody can send such a transaction to a vault, and the
 * vault has to go on.
 */
export function readForeign<Read>(bytes: string | null, read: (bytes: string) => Read): Read | null {
  if (bytes === null) return null;
  try {
    return read(bytes);
  } catch (error) {
    if (error instanceof CborError) return null;
    throw error;
  }
}
