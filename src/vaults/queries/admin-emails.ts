import { sql } from 'kysely';
import type { Db } from '../../platform/database/database.ts';
import type { Encrypted } from '../../platform/database/encrypted.ts';

/** A page of the encrypted email addresses of vaults' admins that are not under this key, in the order of the vaults' ids. */
export async function emailsUnderAnotherKey(
  db: Db,
  keyId: string,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<{ vaultId: string; email: Encrypted }[]> {
  const rows = await db
    .selectFrom('vaults')
    .select(['id', 'admin_email'])
    .where('admin_email', 'is not', null)
    .where(sql<boolean>`admin_email ->> 'key' is distinct from ${keyId}`)
    .$if(after !== null, (query) => query.where('id', '>', after))
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id, admin_email: email }) => ({ vaultId: id, email: email as Encrypted }));
}

/** Replaces an encrypted email address, unless it is another one by now; returns whether it did. */
export async function replaceAdminEmail(
  db: Db,
  vaultId: string,
  before: Encrypted,
  email: Encrypted,
): Promise<boolean> {
  const replaced = await db
    .updateTable('vaults')
    .set({ admin_email: JSON.stringify(email) })
    .where('id', '=', vaultId)
    .where(sql<boolean>`admin_email = ${JSON.stringify(before)}::jsonb`)
    .returning('id')
    .executeTakeFirst();
  return replaced !== undefined;
}
