import { isPotKept } from '../termination/rules/claims/claim.ts';
import type { Caller } from '../access/rules/caller.ts';
import { type RemainReason, remainReason } from './rules/remains.ts';
import type { VaultAddressKind } from '../vaults/rules/vault-address.ts';
import { type ListedHeldOutput, listHeldOutputs } from './queries/held-outputs.ts';
import type { Page, PageCount } from '../platform/database/page.ts';
import type { ServiceContext } from '../context.ts';
import { requireReadableVault } from '../vaults/vault-access.ts';
import { ownPlaces } from './vault-places.ts';

/** An output that the ledger holds at an address of a vault, and why. */
export interface Remain extends ListedHeldOutput {
  readonly reason: RemainReason;
}

interface RemainsOf {
  readonly vaultId: string;
  readonly place?: VaultAddressKind | undefined;
}

/** A page of what the ledger holds at the addresses of a vault that the caller may read. Throws VAULT_NOT_FOUND. */
export async function listRemains(
  context: Pick<ServiceContext, 'db' | 'networkId'>,
  caller: Caller,
  { vaultId, place }: RemainsOf,
  page: Page<'heldSince' | 'lovelace'>,
): Promise<{ remains: Remain[]; count: PageCount }> {
  const vault = await requireReadableVault(context, caller, vaultId);
  const filter = { ...ownPlaces(vault, context.networkId), place };
  const { outputs, count, pot } = await listHeldOutputs(context.db, filter, page);
  const holder = { ...vault, isPotKept: pot !== null && isPotKept(pot) };
  const remains = outputs.map((output) => {
    return { ...output, reason: remainReason({ ...output, units: [...output.utxo.assets.keys()] }, holder) };
  });
  return { remains, count };
}
