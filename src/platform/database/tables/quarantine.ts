import type { GeneratedAlways } from 'kysely';
import type { TransactionState } from '../../../transactions/rules/transaction-state.ts';
import type { NullableAmount, Timestamp } from './columns.ts';

export interface QuarantineTables {
  quarantine: {
    id: GeneratedAlways<string>;
    transaction_id: string;
    from_state: TransactionState;
    to_state: TransactionState;
    is_rollback: boolean;
    block_height: NullableAmount;
    error: string;
    attempts: number;
    at: Timestamp;
    attempted_at: Timestamp;
  };
}
