import { type RawBuilder, sql } from 'kysely';
import type { DepositKind } from '../../settlement/rules/deposit-kind.ts';
import { type Lovelace, lovelace } from '../../platform/units/money.ts';
import type { Utxo } from '../../cardano/transaction.ts';
import { decodeRow } from '../../platform/database/decode-rows.ts';
import { readStoredUtxo, type StoredUtxo } from '../../transactions/queries/stored-utxo.ts';
import type { DepositRef } from '../../transactions/queries/transaction-deposits.ts';

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

/** Reads a row of `depositColumns`. Throws UnreadableRow. */
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

/** Decodes a row of `depositColumns`. Throws UnreadableRow. */
export function decodeDeposit<Value>(row: DepositRow, decode: () => Value): Value {
  return decodeRow(`${row.deposit_kind}s`, row.deposit_id, decode);
}

/**
 * Whether a transaction that has landed or still may delivers or refunds a deposit. `offset 0` lets Postgres ask for each row alone, and
 * only for transactions with this deposit: a page must not read all that was paid before.
 */
export function isInLiveTransaction(kind: DepositKind, by: 'deliver' | 'refund'): RawBuilder<boolean> {
  return sql<boolean>`exists (select from transaction_deposits spent cross join lateral (
      select from chain_transactions t where t.id = spent.transaction_id and t.kind = ${by} and t.state not in ('expired', 'failed') offset 0) t
    where spent.deposit_id = ${depositTables[kind]}.id offset 0)`;
}
