import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/** AES-256 keys of 32 bytes each. */
interface EncryptionKeys {
  /** Encrypts every new value. */
  readonly current: Buffer;
  /** Also decrypts: the key before a rotation, or the one that the next rotation makes current. */
  readonly other?: Buffer | undefined;
}

export interface Encryption {
  /** Id of the current key. */
  readonly keyId: string;
  encrypt(text: string, place: CellAddress): Encrypted;
  /** Throws when the value was changed, moved or encrypted under a key that this one does not have. */
  decrypt(encrypted: Encrypted, place: CellAddress): string;
}

/** AES-256-GCM, a new 12-byte IV for each value. Throws RangeError for a key of another length. */
export function createEncryption(
  { current, other }: EncryptionKeys,
  random: (bytes: number) => Buffer = randomBytes,
): Encryption {
  const keys = [current, ...(other ? [other] : [])].map((key) => ({ id: keyIdOf(key), key }));
  const keyId = keyIdOf(current);
  return {
    keyId,
    encrypt(text, place) {
      const iv = random(ivBytes);
      const cipher = createCipheriv(algorithm, current, iv, { authTagLength: tagBytes }).setAAD(authenticated(place));
      const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      const tag = cipher.getAuthTag();
      return { key: keyId, data: data.toString('base64'), iv: iv.toString('base64'), tag: tag.toString('base64') };
    },
    decrypt(encrypted, place) {
      // Values without the id of their key are from the time of a single key.
      const named = keys.filter(({ id }) => encrypted.key === undefined || encrypted.key === id);
      const last = named.pop();
      if (!last) throw new Error(`the key ${encrypted.key ?? ''} is not configured`);
      for (const { key } of named) {
        const text = decryptUnless(key, encrypted, place);
        if (text !== null) return text;
      }
      return decryptWith(last.key, encrypted, place);
    },
  };
}

/** Names a key without telling anything about it. */
function keyIdOf(key: Buffer): string {
  if (key.length !== 32) throw new RangeError('an AES-256 key has 32 bytes');
  return hash('sha256', Buffer.concat([Buffer.from('encryption-key-id:'), key]), 'hex').slice(0, 16);
}

/** Null when the value is not under this key. */
function decryptUnless(key: Buffer, encrypted: Encrypted, place: CellAddress): string | null {
  try {
    return decryptWith(key, encrypted, place);
  } catch {
    return null;
  }
}

function decryptWith(key: Buffer, { data, iv, tag }: Encrypted, place: CellAddress): string {
  const decipher = createDecipheriv(algorithm, key, Buffer.from(iv, 'base64'), { authTagLength: tagBytes });
  decipher.setAAD(authenticated(place)).setAuthTag(Buffer.from(tag, 'base64'));
  return decipher.update(data, 'base64', 'utf8') + decipher.final('utf8');
}

function authenticated({ table, column, id }: CellAddress): Buffer {
  return Buffer.from(`${table}:${column}:${id}`);
}

/** An encrypted value as it is stored; data, IV and tag in base64. @see spec, "Authentication" 10 */
export interface Encrypted {
  /** Names the key; absent from values that were stored before keys had ids. */
  readonly key?: string;
  readonly data: string;
  readonly iv: string;
  readonly tag: string;
}

/** The cell that a value belongs to. It is authenticated, so a value cannot be moved to another row. */
interface CellAddress {
  readonly table: string;
  readonly column: string;
  readonly id: string;
}
