import { fieldError } from '../platform/errors/errors.ts';
import type { Caller } from '../access/rules/caller.ts';
import { activeRules, type NewType, type RegisteredType } from './queries/registered-types.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { registerType } from './change-type.ts';

/** As `registerType`, for a vault type. Throws INVALID_REQUEST at an asset type that new vaults cannot use, and TYPE_IS_BUILT_IN. */
export async function registerVaultType(
  context: TransactionContext,
  type: NewType<'vault'>,
  caller: Caller,
): Promise<RegisteredType<'vault'>> {
  const known = await activeRules(context.tx, 'asset', type.rules.assetTypes);
  const position = type.rules.assetTypes.findIndex((name) => !known.has(name));
  if (position >= 0)
    throw fieldError('INVALID_REQUEST', `assetTypes.${position}`, 'There is no such asset type, or it is retired');
  return registerType(context, 'vault', type, caller);
}
