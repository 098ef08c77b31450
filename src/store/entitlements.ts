import { type BaseUnits, baseUnits, type Lovelace, lovelace } from '../domain/units/money.ts';
import type { Db, Transaction } from './database.ts';
import type { DepositKind } from '../domain/settlement/deposit-kind.ts';

/** What one deposit brings its owner when the vault settles. */
export interface Entitlement {
  readonly depositId: string;
  readonly depositKind: DepositKind;
  readonly wallet: string;
  readonly ft: BaseUnits;
  /** As planned. */
  readonly lovelace: Lovelace;
  /** As it is paid: what is planned, unless the settlement was revised. */
  readonly owed: Lovelace;
  /** Whether its owner has taken the deposit back alone after T: then what it brings is kept in custody (design D13c). */
  readonly reclaimed: boolean;
}

/** Entitlements in the order they are paid: investors first, then contributors. */
export async function entitlementsOf(db: Db | Transaction, vaultId: string): Promise<Entitlement[]> {
  const rows = await db
    .selectFrom('entitlements')
    .leftJoin('assets', 'assets.id', 'entitlements.deposit_id')
    .leftJoin('investments', 'investments.id', 'entitlements.deposit_id')
    .selectAll('entitlements')
    .select(({ fn }) => fn.coalesce('assets.release_reason', 'investments.release_reason').as('released'))
    .where('entitlements.vault_id', '=', vaultId)
    .orderBy('position')
    .execute();
  return rows.map((row) => ({
    depositId: row.deposit_id,
    depositKind: row.deposit_kind,
    wallet: row.wallet,
    ft: baseUnits(BigInt(row.ft)),
    lovelace: lovelace(BigInt(row.lovelace)),
    owed: lovelace(BigInt(row.revised_lovelace ?? row.lovelace)),
    reclaimed: row.released === 'reclaimed',
  }));
}
