import type { Caller } from '../access/rules.ts';
import { publish } from '../events/publish.ts';
import type { Db, Transaction } from '../platform/database/database.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { fieldError, ServiceError } from '../platform/errors.ts';
import {
  activeRules,
  type NewType,
  type RegisteredType,
  findType,
  markRetired,
  putType,
  type TypeKind,
} from './queries.ts';
import type { NamedTypes } from './rules.ts';

/** As `registerType`, for a vault type. Throws INVALID_REQUEST at an asset type that new vaults cannot use, and TYPE_IS_BUILT_IN. */
export async function registerVaultType(
  context: TransactionContext,
  type: NewType<'vault'>,
  caller: Caller,
): Promise<RegisteredType<'vault'>> {
  const known = await activeRules(context.tx, 'asset', type.rules.assetTypes);
  const position = type.rules.assetTypes.findIndex((name) => !known.has(name));
  if (position >= 0)
    throw fieldError('INVALID_REQUEST', `assetTypes.${position}`, 'No active asset type has this name.');
  return registerType(context, 'vault', type, caller);
}

/** A registered type. */
export async function requireType<Kind extends TypeKind>(
  db: Db | Transaction,
  kind: Kind,
  name: string,
): Promise<RegisteredType<Kind>> {
  const type = await findType(db, kind, name);
  if (!type) throw new ServiceError('TYPE_NOT_FOUND');
  return type;
}

/** Registers a type for new vaults, or replaces it; vaults keep the rules that it had when they were created (design D11). */
export async function registerType<Kind extends TypeKind>(
  context: TransactionContext,
  kind: Kind,
  type: NewType<Kind>,
  caller: Caller,
): Promise<RegisteredType<Kind>> {
  requireOwn(await findType(context.tx, kind, type.name));
  const registered = await putType(context, kind, type);
  const audit = { action: `${prefixes[kind]}_REGISTERED`, resource: resourceOf(kind, type.name), caller };
  await publish(context, { audit: { ...audit, metadata: { ...type.rules } } });
  return registered;
}

/** Keeps new vaults from using a type. */
export async function retireType(
  context: TransactionContext,
  kind: TypeKind,
  name: string,
  caller: Caller,
): Promise<void> {
  requireOwn(await requireType(context.tx, kind, name));
  await markRetired(context, kind, name);
  const audit = { action: `${prefixes[kind]}_RETIRED`, resource: resourceOf(kind, name), caller };
  await publish(context, { audit: { ...audit, metadata: {} } });
}

const prefixes: Readonly<Record<TypeKind, string>> = { vault: 'VAULT_TYPE', asset: 'ASSET_TYPE' };

function resourceOf(kind: TypeKind, id: string) {
  return { type: `${kind}_type`, id };
}

function requireOwn(type: RegisteredType<TypeKind> | null): void {
  if (type?.isBuiltIn) throw new ServiceError('TYPE_IS_BUILT_IN');
}

/** The rules of those of these types that new vaults can use. */
export async function namedTypes(
  db: Db | Transaction,
  { vaultTypes, assetTypes }: { readonly vaultTypes: readonly string[]; readonly assetTypes: readonly string[] },
): Promise<NamedTypes> {
  return {
    vaultTypes: await activeRules(db, 'vault', vaultTypes),
    assetTypes: await activeRules(db, 'asset', assetTypes),
  };
}
