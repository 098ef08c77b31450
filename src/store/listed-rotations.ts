import { sql } from 'kysely';
import type { Rotation } from '../domain/rotation/rotation.ts';
import type { RotationTransaction } from '../domain/rotation/steps.ts';
import type { Db, Transaction } from './database.ts';
import { jsonInstant, type JsonTime } from './json-columns.ts';
import { readRotation } from './rotations.ts';

/** A rotation with what has moved since it changed the custody, until the next one did. */
export interface ListedRotation {
  readonly rotation: Rotation;
  readonly transactions: readonly RotationTransaction[];
}

/** The rotations of a vault, newest first. */
export async function listRotations(db: Db | Transaction, vaultId: string): Promise<ListedRotation[]> {
  type Moved = Omit<RotationTransaction, 'at'> & { readonly at: JsonTime };
  const rows = await db
    .selectFrom('rotations')
    .selectAll()
    .select(
      sql<readonly Moved[]>`(
        select coalesce(json_agg(json_build_object('hash', t.hash, 'state', t.state, 'at', t.updated_at)
          order by t.created_at, t.id), '[]')
        from chain_transactions t
        where t.vault_id = rotations.vault_id and t.kind in ('move_custody', 'move_kept')
          and t.created_at >= rotations.changed_at and not exists (
            select from rotations later where later.vault_id = rotations.vault_id
              and later.changed_at > rotations.changed_at and later.changed_at <= t.created_at))`.as('moved'),
    )
    .where('vault_id', '=', vaultId)
    .orderBy('announced_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  return rows.map(({ moved, ...row }) => ({
    rotation: readRotation(row),
    transactions: moved.map((one) => ({ ...one, at: jsonInstant(one.at) })),
  }));
}
