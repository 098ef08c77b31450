import { sql } from 'kysely';
import type { ReturnSnapshot } from '../rules/return-step.ts';
import type { TransactionState } from '../../transactions/rules/transaction-state.ts';
import { jsonInstant, type JsonTime } from '../../platform/database/json-columns.ts';

/** The transactions that return the deposits of a vault which failed or was cancelled. */
export type ViewedReturns = Pick<ReturnSnapshot, 'newest' | 'finalTransactions'>;

export interface ViewedReturnsJson {
  readonly finalTransactions: number;
  readonly newest: { readonly hash: string; readonly state: TransactionState; readonly at: JsonTime } | null;
}

/** These transactions as a column of a statement that reads vaults; null for a vault that was settled, or goes on. */
export const viewedReturns = sql<ViewedReturnsJson | null>`case
  when vaults.locked_at is null and coalesce(vaults.termination_reason, vaults.failed_because) is not null then (
    select json_build_object('finalTransactions', count(*) filter (where c.state = 'final'),
      'newest', (array_agg(json_build_object('hash', c.hash, 'state', c.state, 'at', c.updated_at)
        order by c.created_at desc, c.id desc))[1])
    from chain_transactions c where c.vault_id = vaults.id and c.kind = 'refund') end`;

/** Reads the column `viewedReturns`. */
export function readViewedReturns(json: ViewedReturnsJson | null): ViewedReturns | null {
  if (json === null) return null;
  return { ...json, newest: json.newest && { ...json.newest, at: jsonInstant(json.newest.at) } };
}
