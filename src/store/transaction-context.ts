import type { Ids } from '../domain/units/ids.ts';
import type { Instant } from '../domain/units/instant.ts';
import type { Transaction } from './database.ts';

/** Where a change of state happens: one Postgres transaction, at one instant. */
export interface TransactionContext {
  readonly tx: Transaction;
  readonly ids: Ids;
  readonly now: Instant;
}
