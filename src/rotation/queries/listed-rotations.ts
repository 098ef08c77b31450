import { sql } from 'kysely';
import type { Rotation } from '../rules/rotation.ts';
import type { RotationTransaction } from '../rules/steps.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { jsonInstant, type JsonTime } from '../../platform/database/json-columns.ts';
import { type Page, type PageCount, readPage } from '../../platform/database/page.ts';
import { readRotation } from './rotations.ts';
import { isVaultVisible, type ReaderScope } from '../../vaults/queries/visible-vaults.ts';

/** A rotation with what has moved since it changed the custody, until the next one did. */
export interface ListedRotation {
  readonly rotation: Rotation;
  readonly transactions: readonly RotationTransaction[];
}

const columns = { announcedAt: 'rotations.announced_at' } as const;

/** A page of a vault's rotations, and how many there are in all. Null when the vault is hidden from the reader. */
export async function listRotations(
  db: Db,
  vaultId: string,
  scope: ReaderScope,
  page: Page<keyof typeof columns>,
): Promise<{ rotations: ListedRotation[]; count: PageCount } | null> {
  const matching = db.selectFrom('rotations').where('vault_id', '=', vaultId);
  const rotations = withMoved(db).where('vault_id', '=', vaultId);
  const order = { columns, tieBreak: ['rotations.id'], tieBreakFollowsSort: true };
  const collection = { ...order, visible: isVaultVisible(vaultId, scope) };
  const { rows, count, isVisible } = await readPage(db, rotations, matching, collection, page);
  return isVisible ? { rotations: rows.map(listed), count } : null;
}

/** Throws when there is none. */
export async function getListedRotation(tx: Transaction, rotationId: string): Promise<ListedRotation> {
  return listed(await withMoved(tx).where('id', '=', rotationId).executeTakeFirstOrThrow());
}

type Times = 'at' | 'expiresAt';
type Moved = Omit<RotationTransaction, Times> & Readonly<Record<Times, JsonTime>>;

function withMoved(db: Db | Transaction) {
  return db
    .selectFrom('rotations')
    .selectAll('rotations')
    .select(
      sql<readonly Moved[]>`(
        select coalesce(json_agg(json_build_object('hash', t.hash, 'state', t.state,
          'expiresAt', t.expires_at, 'at', t.updated_at) order by t.created_at, t.id), '[]')
        from chain_transactions t
        where t.vault_id = rotations.vault_id and t.kind in ('move_custody', 'move_kept')
          and t.created_at >= rotations.changed_at and not exists (
            select from rotations later where later.vault_id = rotations.vault_id
              and later.changed_at > rotations.changed_at and later.changed_at <= t.created_at))`.as('moved'),
    );
}

type ListedRow = Awaited<ReturnType<ReturnType<typeof withMoved>['executeTakeFirstOrThrow']>>;

function listed({ moved, ...row }: ListedRow): ListedRotation {
  return {
    rotation: readRotation(row),
    transactions: moved.map((one) => ({
      ...one,
      expiresAt: jsonInstant(one.expiresAt),
      at: jsonInstant(one.at),
    })),
  };
}
