import type { Caller } from '../access/rules.ts';
import { ServiceError } from '../platform/errors.ts';
import type { Page, PageCount } from '../platform/database/page.ts';
import { findListedStake, type ListedStake, listStakes, type StakeFilter } from './queries/vault-stakes.ts';
import { findStake } from './queries/stakes.ts';
import type { ServiceContext } from '../context.ts';
import { ownershipAttributes, readerScope } from '../vaults/require-vault.ts';

/** A page of a vault's stakes, and how many there are in all. */
export async function listVaultStakes(
  { db }: ServiceContext,
  caller: Caller,
  filter: StakeFilter,
  page: Page<'createdAt' | 'amount' | 'status'>,
): Promise<{ stakes: ListedStake[]; count: PageCount }> {
  const listed = await listStakes(db, filter, readerScope(caller), page);
  if (!listed) throw new ServiceError('VAULT_NOT_FOUND');
  return listed;
}

/** A stake in a vault that the caller may read. */
export async function requireReadableStake(
  { db }: ServiceContext,
  caller: Caller,
  stakeId: string,
): Promise<ListedStake> {
  const stake = await findListedStake(db, stakeId, readerScope(caller));
  if (!stake) throw new ServiceError('STAKE_NOT_FOUND');
  return stake;
}

/** What conditional permissions on a stake depend on: whether it is the caller's own. */
export async function stakeOwnershipAttributes(
  { stakeId }: { readonly stakeId: string },
  { db }: ServiceContext,
  caller: Caller,
): Promise<{ own: boolean }> {
  const stake = await findStake(db, stakeId);
  return ownershipAttributes(db, caller, stake?.vaultId, [stake?.wallet]);
}
