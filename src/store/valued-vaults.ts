import { sql } from 'kysely';
import type { Lovelace } from '../domain/units/money.ts';
import type { Db, Transaction } from './database.ts';
import { rowsAfter } from './page.ts';
import { readVault, type Vault } from './vaults.ts';

/** The next vaults, by id, that have not ended and that have an asset, or whose last published valuation counted one. */
export async function vaultsToValue(db: Db, after: string | null, limit: number): Promise<string[]> {
  const valued = db
    .selectFrom('vaults')
    .select('id')
    .where('status', '!=', 'TERMINATED')
    .where('deleted_at', 'is', null)
    .where((query) =>
      query.or([
        query('published_valuation', '>', '0'),
        // With `exists`, Postgres may read the assets of all vaults for each page.
        sql<boolean>`(select true from assets where assets.vault_id = vaults.id and assets.status = 'LOCKED' limit 1)`,
      ]),
    );
  const rows = await rowsAfter(valued, { columns: ['id'], after: after === null ? null : [after], limit }).execute();
  return rows.map(({ id }) => id);
}

/** Locks a vault until the transaction ends; null for one that was deleted. */
export async function lockVaultToValue(tx: Transaction, vaultId: string): Promise<Vault | null> {
  const query = tx.selectFrom('vaults').selectAll().where('id', '=', vaultId).where('deleted_at', 'is', null);
  const row = await query.forUpdate().executeTakeFirst();
  return row ? readVault(row) : null;
}

/** Stores the valuation of a vault that is published; returns false when the last published one is the same. */
export async function setPublishedValuation(tx: Transaction, vaultId: string, total: Lovelace): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('vaults')
    .set({ published_valuation: total })
    .where('id', '=', vaultId)
    .where(sql<boolean>`coalesce(published_valuation, 0) <> ${total}`)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
