import type { Selectable } from 'kysely';
import type { AssetTypeRules } from '../rules/asset-type.ts';
import { type Instant, instant } from '../../platform/units/instant.ts';
import type { VaultTypeRules } from '../rules/vault-type.ts';
import { anyOf } from '../../platform/database/bulk-insert.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { type Page, type PageCount, readPage } from '../../platform/database/page.ts';
import type { RegisteredTypesTable } from '../../platform/database/tables/registered-types.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';

interface RulesOf {
  readonly vault: VaultTypeRules;
  readonly asset: AssetTypeRules;
}

export type TypeKind = keyof RulesOf;

/** A vault type or an asset type in the registry (design D11). */
export interface RegisteredType<Kind extends TypeKind> {
  readonly name: string;
  readonly description: string;
  readonly rules: RulesOf[Kind];
  /** One of the specification, which nobody changes. */
  readonly isBuiltIn: boolean;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** From then on no new vault can use it; null while they can. */
  readonly retiredAt: Instant | null;
}

export type NewType<Kind extends TypeKind> = Pick<RegisteredType<Kind>, 'name' | 'description' | 'rules'>;

/** Registers a type, or replaces the one with its name, also one that was retired. */
export async function putType<Kind extends TypeKind>(
  { tx, now }: TransactionContext,
  kind: Kind,
  { name, description, rules }: NewType<Kind>,
): Promise<RegisteredType<Kind>> {
  const fields = { description, rules: JSON.stringify(rules), updated_at: new Date(now), retired_at: null };
  const row = await tx
    .insertInto('registered_types')
    .values({ kind, name, ...fields, created_at: new Date(now) })
    .onConflict((conflict) => conflict.columns(['kind', 'name']).doUpdateSet(fields))
    .returningAll()
    .executeTakeFirstOrThrow();
  return readType(row);
}

/** Keeps new vaults from using a type; the first time stays. */
export async function markRetired({ tx, now }: TransactionContext, kind: TypeKind, name: string): Promise<void> {
  await tx
    .updateTable('registered_types')
    .set({ retired_at: new Date(now) })
    .where('kind', '=', kind)
    .where('name', '=', name)
    .where('retired_at', 'is', null)
    .execute();
}

export async function findType<Kind extends TypeKind>(
  db: Db | Transaction,
  kind: Kind,
  name: string,
): Promise<RegisteredType<Kind> | null> {
  const query = db.selectFrom('registered_types').selectAll().where('kind', '=', kind).where('name', '=', name);
  const row = await query.executeTakeFirst();
  return row ? readType(row) : null;
}

/** The rules of those of the named types that new vaults can use. */
export async function activeRules<Kind extends TypeKind>(
  db: Db | Transaction,
  kind: Kind,
  names: readonly string[],
): Promise<ReadonlyMap<string, RulesOf[Kind]>> {
  const rows = await db
    .selectFrom('registered_types')
    .selectAll()
    .where('kind', '=', kind)
    .where('name', '=', anyOf(names))
    .where('retired_at', 'is', null)
    .execute();
  return new Map(rows.map((row) => [row.name, readType<Kind>(row).rules]));
}

const columns = { name: 'name', createdAt: 'created_at' } as const;

/** A page of the types of a kind, retired ones too unless it is asked for the others, and the total. */
export async function listTypes<Kind extends TypeKind>(
  db: Db,
  { kind, isRetired }: { readonly kind: Kind; readonly isRetired: boolean | undefined },
  page: Page<keyof typeof columns>,
): Promise<{ types: RegisteredType<Kind>[]; count: PageCount }> {
  const ofKind = db
    .selectFrom('registered_types')
    .where('kind', '=', kind)
    .$if(isRetired !== undefined, (query) => query.where('retired_at', isRetired ? 'is not' : 'is', null));
  const { rows, count } = await readPage(db, ofKind.selectAll(), ofKind, { columns, tieBreak: ['name'] }, page);
  return { types: rows.map((row) => readType<Kind>(row)), count };
}

/** The rules of a row are those of its kind. */
function readType<Kind extends TypeKind>(row: Selectable<RegisteredTypesTable>): RegisteredType<Kind> {
  return {
    name: row.name,
    description: row.description,
    rules: row.rules as RulesOf[Kind],
    isBuiltIn: row.built_in,
    createdAt: instant(row.created_at),
    updatedAt: instant(row.updated_at),
    retiredAt: row.retired_at && instant(row.retired_at),
  };
}
