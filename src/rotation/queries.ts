import { type Selectable, sql } from 'kysely';
import type { Db, Transaction } from '../platform/database/database.ts';
import { jsonInstant, type JsonTime, readCustody, storedCustody } from '../platform/database/stored-json.ts';
import { type Page, type PageCount, readPage } from '../platform/database/page.ts';
import type { RotationsTable } from '../platform/database/tables/vaults.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { instant } from '../platform/units/time.ts';
import type { Rotation, RotationTransaction } from './rules.ts';
import type { Vault } from '../vaults/queries/vaults.ts';
import { isVaultVisible, type ReaderScope } from '../vaults/queries/viewed-vaults.ts';

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

function readRotation(row: Selectable<RotationsTable>): Rotation {
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

type NewRotation = Pick<Rotation, 'id' | 'vaultId' | 'reason' | 'isUrgent' | 'target' | 'agreements' | 'startsAt'>;

/** Announces a rotation of a vault that has none. */
export async function insertRotation({ tx, now }: TransactionContext, rotation: NewRotation): Promise<void> {
  await tx
    .insertInto('rotations')
    .values({
      id: rotation.id,
      vault_id: rotation.vaultId,
      reason: rotation.reason,
      is_urgent: rotation.isUrgent,
      target: JSON.stringify(storedCustody(rotation.target)),
      agreements: rotation.agreements && JSON.stringify(rotation.agreements),
      announced_at: new Date(now),
      starts_at: new Date(rotation.startsAt),
    })
    .execute();
  await tx.updateTable('vaults').set({ rotation_id: rotation.id }).where('id', '=', rotation.vaultId).execute();
}

type RotationRef = Pick<Rotation, 'id' | 'vaultId'>;

export async function setRotationBegun({ tx, now }: TransactionContext, { id, vaultId }: RotationRef): Promise<void> {
  await tx
    .updateTable('rotations')
    .set({ begun_at: new Date(now) })
    .where('id', '=', id)
    .execute();
  await tx.updateTable('vaults').set({ is_rotating: true }).where('id', '=', vaultId).execute();
}

/** Gives a vault the key and the custody of a rotation. */
export async function changeCustody(
  { tx, now }: TransactionContext,
  { id, target }: Pick<Rotation, 'id' | 'target'>,
  vault: Vault,
): Promise<void> {
  const { vaultKeyHash, cosigners, contractAddress, formerCustodies } = vault;
  const former = [...formerCustodies, { vaultKeyHash, cosigners, contractAddress }].map(storedCustody);
  const { cosigners: registered } = storedCustody(target);
  await tx
    .updateTable('vaults')
    .set({
      vault_key_hash: target.vaultKeyHash,
      contract_address: target.contractAddress,
      custody: registered && JSON.stringify(registered),
      former_custodies: JSON.stringify(former),
      updated_at: new Date(now),
    })
    .where('id', '=', vault.id)
    .execute();
  await tx
    .updateTable('rotations')
    .set({ changed_at: new Date(now) })
    .where('id', '=', id)
    .execute();
}

export function setRotationFinished({ tx, now }: TransactionContext, rotation: RotationRef): Promise<void> {
  return leaveVault(tx, rotation, { finished_at: new Date(now) });
}

export function setRotationCancelled({ tx, now }: TransactionContext, rotation: RotationRef): Promise<void> {
  return leaveVault(tx, rotation, { cancelled_at: new Date(now) });
}

async function leaveVault(
  tx: Transaction,
  { id, vaultId }: RotationRef,
  end: { readonly finished_at: Date } | { readonly cancelled_at: Date },
): Promise<void> {
  await tx.updateTable('rotations').set(end).where('id', '=', id).execute();
  await tx.updateTable('vaults').set({ rotation_id: null, is_rotating: false }).where('id', '=', vaultId).execute();
}

/** Lets a finished rotation continue with what has come to a former custody since. */
export async function reopenRotation({ tx }: TransactionContext, { id, vaultId }: RotationRef): Promise<void> {
  await tx.updateTable('rotations').set({ finished_at: null }).where('id', '=', id).execute();
  await tx.updateTable('vaults').set({ rotation_id: id, is_rotating: true }).where('id', '=', vaultId).execute();
}

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
