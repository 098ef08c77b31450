import { type RawBuilder, sql } from 'kysely';
import { type Asset, claimedNfts } from './assets.ts';
import { type AssetClass, unitOf } from '../rules/asset.ts';
import type { Utxo } from '../../cardano/transaction.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { decodeRow } from '../../platform/database/decode-rows.ts';
import { lockExclusive } from '../../platform/database/locks.ts';
import { type Instant, instant } from '../../platform/units/time.ts';
import { type Lovelace, lovelace } from '../../platform/units/money.ts';
import type { DepositKind } from '../../settlement/rules/deposits.ts';
import { readStoredUtxo, type StoredUtxo } from '../../platform/database/stored-json.ts';
import type { DepositRef } from '../../transactions/queries/recorded-transactions.ts';
import { excludeLeased } from '../../transactions/queries/utxo-leases.ts';
import type { UtxoRef } from '../../transactions/rules.ts';

/** What the script of the deposits in a vault depends on, except for their owner (design D20). */
export interface DepositGuard {
  /** The key of the vault in it. */
  readonly settlementKeyHash: string;
  readonly settlesBySlot: number;
  readonly settlesBy: Instant;
}

/** Columns of a vault for `readGuard`. */
export const guardColumns = ['vaults.settlement_key_hash', 'vaults.settles_by', 'vaults.settles_by_slot'] as const;

export function readGuard(row: {
  readonly settlement_key_hash: string;
  readonly settles_by: Date;
  readonly settles_by_slot: string;
}): DepositGuard {
  return {
    settlementKeyHash: row.settlement_key_hash,
    settlesBy: instant(row.settles_by),
    settlesBySlot: Number(row.settles_by_slot),
  };
}

/** Keeps others from adding this NFT until the unit of work ends. Returns it in vaults, and the attempts to bring it into one. */
export async function lockNft(tx: Transaction, nft: AssetClass): Promise<Asset[]> {
  await lockExclusive(tx, `asset:${unitOf(nft)}`);
  return claimedNfts(tx, nft);
}

/** Those of a wallet's UTxOs that no open transaction holds. Nobody else can promise them until the transaction ends. */
export async function lockFreeUtxos<Output extends UtxoRef>(
  tx: Transaction,
  address: string,
  utxos: readonly Output[],
): Promise<Output[]> {
  await lockExclusive(tx, `wallet:${address}`);
  return excludeLeased(tx, utxos);
}

/** A deposit in a vault, or one that its owner has reclaimed. */
export interface StoredDeposit extends DepositRef {
  readonly owner: string;
  /** The outputs of the transaction that brought it, and which of them holds it. */
  readonly outputs: readonly Utxo[];
  readonly depositIndex: number;
  /** Lovelace that were invested; zero for an asset. */
  readonly invested: Lovelace;
}

/** The columns of a deposit and the outputs of its transaction, of the table that holds its kind. */
export const depositColumns: Readonly<Record<DepositKind, RawBuilder<unknown>>> = {
  investment: sql`id as deposit_id, 'investment' as deposit_kind, wallet as owner, 0 as deposit_index, lovelace as invested,
    (select outputs from chain_transactions brought where brought.id = investments.transaction_id) as outputs`,
  asset: sql`id as deposit_id, 'asset' as deposit_kind, added_by as owner, deposit_index, 0::numeric as invested,
    (select outputs from chain_transactions brought where brought.id = assets.add_transaction_id) as outputs`,
};

/** The table that holds deposits of a kind. */
export const depositTables: Readonly<Record<DepositKind, RawBuilder<unknown>>> = {
  investment: sql.table('investments'),
  asset: sql.table('assets'),
};

/** A row of `depositColumns`. */
export interface DepositRow {
  readonly deposit_id: string;
  readonly deposit_kind: DepositKind;
  readonly owner: string;
  readonly deposit_index: number;
  readonly invested: string;
  readonly outputs: readonly StoredUtxo[];
  /** False for a deposit that is not in the vault, although the settlement has still to pay for it: such a row is damaged. */
  readonly is_in_vault?: boolean;
}

/** Which deposit a row of `depositColumns` is. */
export function refOf({ deposit_id: depositId, deposit_kind: depositKind }: DepositRow): DepositRef {
  return { depositId, depositKind };
}

/** Reads a row of `depositColumns`. */
export function readDeposit(row: DepositRow): StoredDeposit {
  return decodeDeposit(row, () => {
    if (row.is_in_vault === false) throw new Error('it is not in the vault');
    return {
      ...refOf(row),
      owner: row.owner,
      outputs: row.outputs.map(readStoredUtxo),
      depositIndex: row.deposit_index,
      invested: lovelace(BigInt(row.invested)),
    };
  });
}

/** Decodes a row of `depositColumns`. */
export function decodeDeposit<Value>(row: DepositRow, decode: () => Value): Value {
  return decodeRow(`${row.deposit_kind}s`, row.deposit_id, decode);
}

/**
 * Whether a transaction that has been confirmed or still may delivers or refunds a deposit. `offset 0` lets Postgres ask for each row alone, and
 * only for transactions with this deposit: a page must not read all that was paid before.
 */
export function isInLiveTransaction(kind: DepositKind, by: 'deliver' | 'refund'): RawBuilder<boolean> {
  return sql<boolean>`exists (select from transaction_deposits spent cross join lateral (
      select from chain_transactions t where t.id = spent.transaction_id and t.kind = ${by} and t.state not in ('expired', 'failed') offset 0) t
    where spent.deposit_id = ${depositTables[kind]}.id offset 0)`;
}
