import type { Caller } from '../../access/rules/caller.ts';
import { ServiceError } from '../../platform/errors/errors.ts';
import type { Page, PageCount } from '../../platform/database/page.ts';
import { type ClaimFilter, findListedClaim, listClaims, type ListedClaim } from '../queries/vault-claims.ts';
import type { ServiceContext } from '../../context.ts';
import { readerScope } from '../../vaults/vault-access.ts';

/** A page of the claims from a vault, and how many there are in all. Throws VAULT_NOT_FOUND. */
export async function listVaultClaims(
  { db }: Pick<ServiceContext, 'db'>,
  caller: Caller,
  filter: ClaimFilter,
  page: Page<'createdAt' | 'amount' | 'payout' | 'status'>,
): Promise<{ claims: ListedClaim[]; count: PageCount }> {
  const listed = await listClaims(db, filter, readerScope(caller), page);
  if (!listed) throw new ServiceError('VAULT_NOT_FOUND');
  return listed;
}

/** A claim from a vault that the caller may read. Throws CLAIM_NOT_FOUND. */
export async function requireReadableClaim(
  { db }: Pick<ServiceContext, 'db'>,
  caller: Caller,
  wanted: { readonly vaultId: string; readonly claimId: string },
): Promise<ListedClaim> {
  const claim = await findListedClaim(db, wanted, readerScope(caller));
  if (!claim) throw new ServiceError('CLAIM_NOT_FOUND');
  return claim;
}
