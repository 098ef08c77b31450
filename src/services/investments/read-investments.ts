import type { Caller } from '../../domain/identity/caller.ts';
import { type InvestmentFilter, type ListedInvestment, listInvestments } from '../../store/vault-investments.ts';
import type { Page, PageCount } from '../../store/page.ts';
import type { ServiceContext } from '../context.ts';
import { requireReadableVault } from '../vaults/vault-access.ts';

/** A page of a vault's investments, and how many there are in all. Throws VAULT_NOT_FOUND. */
export async function listVaultInvestments(
  { db }: Pick<ServiceContext, 'db'>,
  caller: Caller,
  filter: InvestmentFilter,
  page: Page<'createdAt' | 'lovelace' | 'status'>,
): Promise<{ investments: ListedInvestment[]; count: PageCount }> {
  await requireReadableVault({ db }, caller, filter.vaultId);
  return listInvestments(db, filter, page);
}
