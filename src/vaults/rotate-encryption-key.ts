import { emailsUnderAnotherKey, replaceAdminEmail } from './queries/vault-changes.ts';
import type { EncryptionContext, ServiceContext } from '../context.ts';

const PAGE = 200;

export interface RotatedKey {
  readonly rotated: number;
  /** Ids of the vaults whose value no configured key decrypts; it stays as it is. */
  readonly unreadable: readonly string[];
}

/**
 * Encrypts with the current key what is stored under another one. A value that its owner changes meanwhile is left alone, and a
 * repetition continues where a stopped one was.
 */
export async function rotateEncryptionKey({
  db,
  encryption,
}: Pick<ServiceContext, 'db'> & EncryptionContext): Promise<RotatedKey> {
  let rotated = 0;
  const unreadable: string[] = [];
  for (let after: string | null = null; ;) {
    const page = await emailsUnderAnotherKey(db, encryption.keyId, { after, limit: PAGE });
    for (const { vaultId, email } of page) {
      const cell = { table: 'vaults', column: 'admin_email', id: vaultId };
      const text = readable(() => encryption.decrypt(email, cell));
      if (text === null) unreadable.push(vaultId);
      else if (await replaceAdminEmail(db, vaultId, email, encryption.encrypt(text, cell))) rotated += 1;
    }
    after = page.at(-1)?.vaultId ?? null;
    if (page.length < PAGE) return { rotated, unreadable };
  }
}

function readable(decrypt: () => string): string | null {
  try {
    return decrypt();
  } catch {
    return null;
  }
}
