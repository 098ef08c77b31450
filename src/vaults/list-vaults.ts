import type { Caller } from '../access/rules/caller.ts';
import type { Instant } from '../platform/units/instant.ts';
import type { VaultStatus } from './rules/vault.ts';
import type { Page, PageCount } from '../platform/database/page.ts';
import { type ListedVault, listVaults } from './queries/listed-vaults.ts';
import type { ServiceContext } from '../context.ts';
import { readableStatuses } from './vault-access.ts';
import { vaultReader, type VaultView, viewVault } from './vault-view.ts';

interface VaultListQuery {
  readonly status?: VaultStatus | undefined;
  /** Name of a vault type. */
  readonly type?: string | undefined;
  /** Wallet address of the admin. */
  readonly createdBy?: string | undefined;
  readonly page: Page<'createdAt' | 'updatedAt' | 'name' | 'status'>;
}

interface VaultList {
  readonly vaults: readonly VaultView<ListedVault>[];
  /** The number of vaults on all pages. */
  readonly count: PageCount;
  readonly now: Instant;
}

/** A page of the vaults that the caller may read. */
export async function listReadableVaults(
  { db, readingTime }: Pick<ServiceContext, 'db' | 'readingTime'>,
  caller: Caller,
  { status: wanted, type, createdBy, page }: VaultListQuery,
): Promise<VaultList> {
  const reading = { caller, now: await readingTime() };
  const statuses = readableStatuses(caller).filter((status) => wanted === undefined || status === wanted);
  const { vaults, count } = await listVaults(db, { statuses, type, createdBy }, vaultReader(reading), page);
  return { vaults: vaults.map((viewed) => viewVault(viewed, reading)), count, now: reading.now };
}
