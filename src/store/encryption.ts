import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/** An encrypted value as it is stored; all three in base64. @see spec, "Authentication" 10 */
export interface Encrypted {
  readonly data: string;
  readonly iv: string;
  readonly tag: string;
}

/** The cell that a value belongs to. It is authenticated, so a value cannot be moved to another row. */
export interface CellAddress {
  readonly table: string;
  readonly column: string;
  readonly id: string;
}

export interface Encryption {
  encrypt(text: string, place: CellAddress): Encrypted;
  /** Throws when the value was changed, moved or encrypted under another key. */
  decrypt(encrypted: Encrypted, place: CellAddress): string;
}

/** AES-256-GCM under `key` (32 bytes), a new 12-byte IV for each value. */
export function createEncryption(key: Buffer, random: (bytes: number) => Buffer = randomBytes): Encryption {
  if (key.length !== 32) throw new RangeError('an AES-256 key has 32 bytes');
  return {
    encrypt(text, place) {
      const iv = random(ivBytes);
      const cipher = createCipheriv(algorithm, key, iv, { authTagLength: tagBytes }).setAAD(authenticated(place));
      const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return { data: data.toString('base64'), iv: iv.toString('base64'), tag: cipher.getAuthTag().toString('base64') };
    },
    decrypt({ data, iv, tag }, place) {
      const decipher = createDecipheriv(algorithm, key, Buffer.from(iv, 'base64'), { authTagLength: tagBytes });
      decipher.setAAD(authenticated(place)).setAuthTag(Buffer.from(tag, 'base64'));
      return decipher.update(data, 'base64', 'utf8') + decipher.final('utf8');
    },
  };
}

function authenticated({ table, column, id }: CellAddress): Buffer {
  return Buffer.from(`${table}:${column}:${id}`);
}
