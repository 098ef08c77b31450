import type { Caller } from '../../domain/identity/caller.ts';
import { type ListedRotation, listRotations } from '../../store/listed-rotations.ts';
import type { ServiceContext } from '../context.ts';
import { requireReadableVault } from '../vaults/vault-access.ts';

/** The rotations of a vault that the caller may read, newest first. Throws VAULT_NOT_FOUND. */
export async function readRotations(
  { db }: Pick<ServiceContext, 'db'>,
  caller: Caller,
  vaultId: string,
): Promise<ListedRotation[]> {
  await requireReadableVault({ db }, caller, vaultId);
  return listRotations(db, vaultId);
}
