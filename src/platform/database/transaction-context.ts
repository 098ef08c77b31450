import type { Ids } from '../units/ids.ts';
import type { Instant } from '../units/instant.ts';
import type { Transaction } from './database.ts';

/** What a change of state needs: one Postgres transaction, new ids and one instant. */
export interface TransactionContext {
  readonly tx: Transaction;
  readonly ids: Ids;
  readonly now: Instant;
}
