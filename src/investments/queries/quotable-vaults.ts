import type { Window } from '../../vaults/rules/window.ts';
import type { Db } from '../../platform/database/database.ts';
import { prepared } from '../../platform/database/prepared-statements.ts';
import {
  type PresentDeposits,
  presentDeposits,
  readPresentDeposits,
} from '../../settlement/queries/present-deposits.ts';
import { readVault, type Vault } from '../../vaults/queries/vaults.ts';
import { type ReaderScope, visibleTo } from '../../vaults/queries/visible-vaults.ts';
import { readWindow } from '../../vaults/queries/windows.ts';

/** A vault with what the quote of an investment in it depends on. */
export interface QuotableVault {
  readonly vault: Vault;
  /** Its investment window. */
  readonly window: Window;
  readonly deposits: PresentDeposits;
}

/** A vault that the reader may see, with what a quote depends on, in one statement; null for one that is deleted or hidden. */
export async function findQuotableVault(db: Db, vaultId: string, scope: ReaderScope): Promise<QuotableVault | null> {
  const row = await db
    .selectFrom('vaults')
    .innerJoin('windows', 'windows.vault_id', 'vaults.id')
    .modifyFront(prepared)
    .selectAll('vaults')
    .select(['windows.kind', 'windows.starts_at', 'windows.ends_at', 'windows.status as window_status'])
    .select(presentDeposits.as('deposits'))
    .where('windows.kind', '=', 'investment')
    .where('vaults.id', '=', vaultId)
    .where('vaults.deleted_at', 'is', null)
    .where(visibleTo(scope))
    .executeTakeFirst();
  if (!row) return null;
  const window = readWindow({ ...row, status: row.window_status });
  return { vault: readVault(row), window, deposits: readPresentDeposits(row.deposits) };
}
