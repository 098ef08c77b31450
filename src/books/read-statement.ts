import type { Caller } from '../access/rules/caller.ts';
import { policyOf } from '../assets/rules/unit.ts';
import type { StatementPage } from './queries/statement-page.ts';
import { readStatement } from './queries/vault-statements.ts';
import type { VaultPlaces } from './queries/output-sources.ts';
import type { ServiceContext } from '../context.ts';
import { requireReadableVault } from '../vaults/vault-access.ts';
import { ownPlaces } from './vault-places.ts';

/** A page of what came to and left the addresses of a vault. */
export interface Statement extends StatementPage, Pick<VaultPlaces, 'own'> {}

/** A page of the statement of a vault that the caller may read, after the movement with the key `after`. Throws VAULT_NOT_FOUND. */
export async function readVaultStatement(
  context: Pick<ServiceContext, 'db' | 'networkId'>,
  caller: Caller,
  { vaultId, ...part }: { readonly vaultId: string; readonly after?: string | undefined; readonly limit: number },
): Promise<Statement> {
  const vault = await requireReadableVault(context, caller, vaultId);
  const places = ownPlaces(vault, context.networkId);
  const { policyId, ftUnit } = vault;
  const policies = ftUnit === null ? [policyId] : [policyId, policyOf(ftUnit)];
  return { ...(await readStatement(context.db, places, { ...part, policies })), own: places.own };
}
