import type { Selectable } from 'kysely';
import { anyOf } from '../platform/database/statements.ts';
import type { Db, Transaction } from '../platform/database/database.ts';
import { type Page, type PageCount, readPage } from '../platform/database/page.ts';
import type { RegisteredTypesTable, VaultsTable } from '../platform/database/tables/vaults.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { type Instant, instant } from '../platform/units/time.ts';
import {
  type AssetTypeRules,
  type VaultTypeRules,
  type AcceptedAssetTypes,
  builtInVaultTypes,
  closestVaultType,
  vaultTypes,
} from './rules.ts';
import type { VaultTerms } from '../vaults/rules/vault.ts';

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

type TypeTerms = Pick<VaultTerms, 'type' | 'typeRules' | 'assetTypes'>;

/** The columns of a vault's type and of its asset types. The rules of built-in types never change, so they are not copied. */
export function storedTypes({ type, typeRules, assetTypes }: TypeTerms) {
  const isBuiltIn = vaultTypes.some((builtIn) => builtIn === type);
  return {
    type: closestVaultType(typeRules),
    custom_type: isBuiltIn ? null : type,
    type_rules: isBuiltIn ? null : JSON.stringify(typeRules),
    asset_types: Object.keys(assetTypes),
    asset_type_rules: JSON.stringify(assetTypes),
  };
}

/** The type of a vault and its asset types, with the rules that they had when it was created. */
export function readTypes(row: Selectable<VaultsTable>): TypeTerms {
  return {
    type: row.custom_type ?? row.type,
    typeRules: row.type_rules ?? builtInVaultTypes[row.type],
    assetTypes: readAssetTypes(row),
  };
}

/** In the order of the request, which JSON does not keep. */
function readAssetTypes({ asset_types: names, asset_type_rules: stored }: Selectable<VaultsTable>): AcceptedAssetTypes {
  return Object.fromEntries(names.flatMap((name) => (stored[name] ? [[name, stored[name]]] : [])));
}
