import type { Selectable } from 'kysely';
import { type BaseUnits, baseUnits, type Lovelace, lovelace } from '../../platform/units/money.ts';
import { anyOf } from '../../platform/database/bulk-insert.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import type { DepositKind } from '../rules/deposit-kind.ts';
import { givenFields, type Page, type PageCount, readPage } from '../../platform/database/page.ts';
import type { EntitlementsTable } from '../../platform/database/tables/settlements.ts';
import type { DepositRef } from '../../transactions/queries/transaction-deposits.ts';
import { isVaultVisible, type ReaderScope } from '../../vaults/queries/visible-vaults.ts';

/** What the owner of one deposit receives when the vault settles. */
export interface Entitlement {
  readonly depositId: string;
  readonly depositKind: DepositKind;
  readonly wallet: string;
  readonly ft: BaseUnits;
  /** As planned. */
  readonly lovelace: Lovelace;
  /** The amount to pay: as planned, or as the settlement was revised. */
  readonly owed: Lovelace;
  /** Whether the owner has reclaimed the deposit alone after T; then the entitlement stays in custody (design D13c). */
  readonly reclaimed: boolean;
}

/** The entitlements of some deposits of a vault, by deposit. */
export async function entitlementsOfDeposits(
  db: Db,
  vaultId: string,
  deposits: readonly DepositRef[],
): Promise<ReadonlyMap<string, Entitlement>> {
  if (deposits.length === 0) return new Map();
  const ids = deposits.map(({ depositId }) => depositId);
  const rows = await withRelease(entitlementsOf(db, vaultId).where('deposit_id', '=', anyOf(ids))).execute();
  return new Map(rows.map((row) => [row.deposit_id, readEntitlement(row)]));
}

/** The entitlements of a vault's contributors in the order of payment: no more than a vault may have assets. */
export async function contributorEntitlements(tx: Transaction, vaultId: string): Promise<Entitlement[]> {
  const contributors = entitlementsOf(tx, vaultId).where('deposit_kind', '=', 'asset');
  return (await withRelease(contributors).orderBy('position').execute()).map(readEntitlement);
}

const columns = { position: 'position' } as const;

/** A page of the entitlements of a vault, or of a wallet in it, and the total; null when the vault is hidden from the reader. */
export async function listEntitlements(
  db: Db,
  { vaultId, wallet }: { readonly vaultId: string; readonly wallet?: string | undefined },
  scope: ReaderScope,
  page: Page<keyof typeof columns>,
): Promise<{ entitlements: Entitlement[]; count: PageCount } | null> {
  const matching = entitlementsOf(db, vaultId).where((eb) => eb.and(givenFields({ 'entitlements.wallet': wallet })));
  const collection = { columns, tieBreak: ['deposit_id'], visible: isVaultVisible(vaultId, scope) };
  const { rows, count, isVisible } = await readPage(db, withRelease(matching), matching, collection, page);
  return isVisible ? { entitlements: rows.map(readEntitlement), count } : null;
}

function entitlementsOf(db: Db | Transaction, vaultId: string) {
  return db.selectFrom('entitlements').where('entitlements.vault_id', '=', vaultId);
}

function withRelease(matching: ReturnType<typeof entitlementsOf>) {
  return matching
    .leftJoin('assets', 'assets.id', 'entitlements.deposit_id')
    .leftJoin('investments', 'investments.id', 'entitlements.deposit_id')
    .selectAll('entitlements')
    .select(({ fn }) => fn.coalesce('assets.release_reason', 'investments.release_reason').as('released'));
}

function readEntitlement(row: Selectable<EntitlementsTable> & { readonly released: string | null }): Entitlement {
  return {
    depositId: row.deposit_id,
    depositKind: row.deposit_kind,
    wallet: row.wallet,
    ft: baseUnits(BigInt(row.ft)),
    lovelace: lovelace(BigInt(row.lovelace)),
    owed: lovelace(BigInt(row.revised_lovelace ?? row.lovelace)),
    reclaimed: row.released === 'reclaimed',
  };
}
