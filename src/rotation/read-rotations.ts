import { ServiceError } from '../platform/errors/errors.ts';
import type { Caller } from '../access/rules/caller.ts';
import { type ListedRotation, listRotations } from './queries/listed-rotations.ts';
import type { Page, PageCount } from '../platform/database/page.ts';
import type { ServiceContext } from '../context.ts';
import { readerScope } from '../vaults/vault-access.ts';

/** A page of the rotations of a vault that the caller may read, and how many there are in all. Throws VAULT_NOT_FOUND. */
export async function readRotations(
  { db }: Pick<ServiceContext, 'db'>,
  caller: Caller,
  vaultId: string,
  page: Page<'announcedAt'>,
): Promise<{ rotations: ListedRotation[]; count: PageCount }> {
  const listed = await listRotations(db, vaultId, readerScope(caller), page);
  if (!listed) throw new ServiceError('VAULT_NOT_FOUND');
  return listed;
}
