import { sql } from 'kysely';
import { anyOf } from '../../platform/database/bulk-insert.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';

export interface VaultKey {
  readonly index: number;
  readonly vaultKeyHash: string;
  readonly policyKeyHash: string;
}

/** The number of vault keys that no vault has, and the index after the last key. */
export async function countFreeVaultKeys(db: Db): Promise<{ free: number; nextIndex: number }> {
  // Two reads of an index; one pass over both would read the keys of all vaults.
  const { rows } = await sql<{ free: number; next: number }>`
    select (select count(*)::int from vault_keys where vault_id is null) as free,
      (select coalesce(max(key_index) + 1, 0)::int from vault_keys) as next`.execute(db);
  return { free: rows[0]?.free ?? 0, nextIndex: rows[0]?.next ?? 0 };
}

/** Publishes the hashes of more vault keys; an index that another worker has published keeps its hashes. */
export async function publishVaultKeys(db: Db, keys: readonly VaultKey[]): Promise<void> {
  const rows = keys.map(({ index, vaultKeyHash, policyKeyHash }) => ({
    key_index: index,
    vault_key_hash: vaultKeyHash,
    policy_key_hash: policyKeyHash,
    vault_id: null,
  }));
  await db
    .insertInto('vault_keys')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Assigns the next free vault key to a vault; returns null when there is none until the worker publishes more. */
export async function assignVaultKey(tx: Transaction, vaultId: string): Promise<VaultKey | null> {
  const free = tx
    .selectFrom('vault_keys')
    .select('key_index')
    .where('vault_id', 'is', null)
    // In the order of the index of the free keys: by `key_index` alone Postgres may read the keys of all vaults first.
    .orderBy('vault_id')
    .orderBy('key_index')
    .limit(1)
    .forUpdate()
    .skipLocked();
  const row = await tx
    .updateTable('vault_keys')
    .set({ vault_id: vaultId })
    .where('key_index', '=', free)
    .returningAll()
    .executeTakeFirst();
  return row ? { index: row.key_index, vaultKeyHash: row.vault_key_hash, policyKeyHash: row.policy_key_hash } : null;
}

/** The indexes that those of these keys are derived from that a vault has, or had before a rotation. */
export async function keyIndexesOf(db: Db, vaultId: string, keyHashes: readonly string[]): Promise<number[]> {
  const rows = await db
    .selectFrom('vault_keys')
    .select('key_index')
    .where('vault_id', '=', vaultId)
    .where((eb) => eb.or([eb('vault_key_hash', '=', anyOf(keyHashes)), eb('policy_key_hash', '=', anyOf(keyHashes))]))
    .orderBy('key_index')
    .execute();
  return rows.map(({ key_index: index }) => index);
}

/** Those of these keys that vaults have, or had before a rotation, with the vault of each. */
export async function assignedKeys(
  db: Db,
  keyHashes: readonly string[],
): Promise<{ readonly index: number; readonly vaultId: string }[]> {
  const rows = await db
    .selectFrom('vault_keys')
    .select(['key_index as index', 'vault_id as vaultId'])
    .where('vault_id', 'is not', null)
    .where((eb) => eb.or([eb('vault_key_hash', '=', anyOf(keyHashes)), eb('policy_key_hash', '=', anyOf(keyHashes))]))
    .$narrowType<{ vaultId: string }>()
    .execute();
  return rows;
}
