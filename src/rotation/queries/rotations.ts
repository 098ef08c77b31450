import type { Selectable } from 'kysely';
import type { Rotation } from '../rules/rotation.ts';
import { instant } from '../../platform/units/instant.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { readCustody } from './stored-custody.ts';
import type { RotationsTable } from '../../platform/database/tables/rotations.ts';

/** Throws when there is none. */
export async function getRotation(db: Db | Transaction, rotationId: string): Promise<Rotation> {
  const row = await db.selectFrom('rotations').selectAll().where('id', '=', rotationId).executeTakeFirstOrThrow();
  return readRotation(row);
}

/** A rotation of a vault; null when the vault has none with this id. */
export async function findRotation(
  db: Db | Transaction,
  { vaultId, rotationId }: { readonly vaultId: string; readonly rotationId: string },
): Promise<Rotation | null> {
  const query = db.selectFrom('rotations').selectAll().where('id', '=', rotationId).where('vault_id', '=', vaultId);
  const row = await query.executeTakeFirst();
  return row ? readRotation(row) : null;
}

/** The rotation of a vault that was finished last; null when none was. */
export async function lastFinishedRotation(tx: Transaction, vaultId: string): Promise<Rotation | null> {
  const query = tx.selectFrom('rotations').selectAll().where('vault_id', '=', vaultId);
  const row = await query.where('finished_at', 'is not', null).orderBy('changed_at', 'desc').executeTakeFirst();
  return row ? readRotation(row) : null;
}

/** All rotations of a vault, in the order in which they were announced. */
export async function rotationsOf(db: Db | Transaction, vaultId: string): Promise<Rotation[]> {
  const query = db.selectFrom('rotations').selectAll().where('vault_id', '=', vaultId);
  return (await query.orderBy('announced_at').orderBy('id').execute()).map(readRotation);
}

/** How many rotations of a vault were announced, those that were cancelled among them. */
export async function countRotations(tx: Transaction, vaultId: string): Promise<number> {
  const query = tx.selectFrom('rotations').select(({ fn }) => fn.countAll<string>().as('count'));
  const { count } = await query.where('vault_id', '=', vaultId).executeTakeFirstOrThrow();
  return Number(count);
}

/** The rotation of a vault that is announced or runs; null when there is none. */
export async function openRotationId(tx: Transaction, vaultId: string): Promise<string | null> {
  const row = await tx.selectFrom('vaults').select('rotation_id').where('id', '=', vaultId).executeTakeFirst();
  return row?.rotation_id ?? null;
}

export function readRotation(row: Selectable<RotationsTable>): Rotation {
  const at = (date: Date | null) => (date === null ? null : instant(date));
  return {
    id: row.id,
    vaultId: row.vault_id,
    reason: row.reason,
    isUrgent: row.is_urgent,
    target: readCustody(row.target),
    agreements: row.agreements,
    announcedAt: instant(row.announced_at),
    startsAt: instant(row.starts_at),
    begunAt: at(row.begun_at),
    changedAt: at(row.changed_at),
    finishedAt: at(row.finished_at),
    cancelledAt: at(row.cancelled_at),
  };
}
