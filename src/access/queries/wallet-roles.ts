import type { Db, Transaction } from '../../platform/database/database.ts';

/** The roles that the wallet was given; none for an unknown wallet. */
export async function findWalletRoles(db: Db, wallet: string): Promise<readonly string[]> {
  const row = await db.selectFrom('wallet_roles').select('roles').where('wallet', '=', wallet).executeTakeFirst();
  return row?.roles ?? [];
}

/** As `findWalletRoles`; concurrent changes of the same wallet wait until this one ends. */
export async function lockWalletRoles(
  tx: Transaction,
  wallet: string,
  by: string,
  now: Date,
): Promise<readonly string[]> {
  const created = { wallet, roles: [], updated_by: by, updated_at: now };
  const row = await tx
    .insertInto('wallet_roles')
    .values(created)
    // Changes nothing, and locks the row.
    .onConflict((conflict) => conflict.column('wallet').doUpdateSet((row) => ({ wallet: row.ref('excluded.wallet') })))
    .returning('roles')
    .executeTakeFirstOrThrow();
  return row.roles;
}

export async function setWalletRoles(
  tx: Transaction,
  wallet: string,
  roles: readonly string[],
  by: string,
  now: Date,
): Promise<void> {
  await tx
    .updateTable('wallet_roles')
    .set({ roles: [...roles], updated_by: by, updated_at: now })
    .where('wallet', '=', wallet)
    .execute();
}
