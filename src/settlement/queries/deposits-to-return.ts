import { sql } from 'kysely';
import type { DepositKind } from '../rules/deposit-kind.ts';
import type { Db } from '../../platform/database/database.ts';
import { type DepositPages, PAGE, pagesOf, type Place } from './deposit-pages.ts';
import {
  depositColumns,
  type DepositRow,
  depositTables,
  isInLiveTransaction,
  readDeposit,
  type StoredDeposit,
} from '../../assets/queries/vault-deposits.ts';

/** The deposits in a vault, or those of them that its settlement returns, that no live refund returns: assets first, each kind by age. */
export async function* depositsToReturn(db: Db, vaultId: string, isSettling: boolean): DepositPages {
  yield* pagesInVault(db, { vaultId, kind: 'asset', isSettling });
  yield* pagesInVault(db, { vaultId, kind: 'investment', isSettling });
}

interface InVault {
  readonly vaultId: string;
  readonly kind: DepositKind;
  /** Whether only what the settlement returns is wanted. */
  readonly isSettling: boolean;
}

const inVault = {
  asset: { age: sql.ref('added_at'), status: 'LOCKED' },
  investment: { age: sql.ref('created_at'), status: 'CONFIRMED' },
} as const;

async function* pagesInVault(db: Db, { vaultId, kind, isSettling }: InVault): AsyncGenerator<DepositRow[]> {
  const { age, status } = inVault[kind];
  const isWanted = isSettling ? sql`return_reason is not null` : sql`true`;
  yield* pagesOf(async (after) => {
    const { rows } = await sql<DepositRow & Place>`
      select ${depositColumns[kind]}, ${age}::text as at from ${depositTables[kind]}
      where vault_id = ${vaultId} and status = ${sql.lit(status)} and ${isWanted}
        and (${age}, id) > (${after.at}::timestamptz, ${after.deposit_id}::uuid)
        and not ${isInLiveTransaction(kind, 'refund')}
      order by ${age}, id limit ${PAGE}`.execute(db);
    return rows;
  });
}

/** A page of the deposits that owners have reclaimed, in the order of their ids after one. */
export async function reclaimedDeposits(
  db: Db,
  vaultId: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<StoredDeposit[]> {
  const page = (kind: DepositKind) => sql`
    (select ${depositColumns[kind]} from ${depositTables[kind]}
     where vault_id = ${vaultId} and release_reason = 'reclaimed' and id > ${after}::uuid order by id limit ${limit})`;
  const { rows } = await sql<DepositRow>`
    select * from (${page('asset')} union all ${page('investment')}) as found
    order by deposit_id limit ${limit}`.execute(db);
  return rows.map(readDeposit);
}
