import type { TransactionContext } from './transaction-context.ts';

/** The types of events; a rollback is an event of its own (design §6). */
export type EventType =
  | 'VAULT_CREATED'
  | 'VAULT_CREATION_ROLLED_BACK'
  | 'VAULT_STATUS_CHANGED'
  | 'WINDOW_STATUS_CHANGED'
  | 'VAULT_HELD'
  | 'VAULT_RELEASED'
  | 'VAULT_CANCEL_REQUESTED'
  | 'ASSET_ADD_STARTED'
  | 'ASSET_ADDED'
  | 'ASSET_ADD_ROLLED_BACK'
  | 'ASSET_ADD_EXPIRED'
  | 'ASSET_REMOVE_STARTED'
  | 'ASSET_REMOVED'
  | 'ASSET_REMOVE_ROLLED_BACK'
  | 'ASSET_REMOVE_EXPIRED'
  | 'INVESTMENT_STARTED'
  | 'INVESTMENT_MADE'
  | 'INVESTMENT_ROLLED_BACK'
  | 'INVESTMENT_EXPIRED'
  | 'STAKE_STARTED'
  | 'STAKE_CONFIRMED'
  | 'STAKE_FINAL'
  | 'STAKE_ROLLED_BACK'
  | 'STAKE_EXPIRED'
  | 'STAKE_RETURN_STARTED'
  | 'STAKE_RELEASED'
  | 'STAKE_RECLAIMED'
  | 'STAKE_RETURN_ROLLED_BACK'
  | 'STAKE_RETURN_EXPIRED'
  | 'TRANSACTION_SIGNED'
  | 'TRANSACTION_WITHDRAWN'
  | 'PROPOSAL_CREATED'
  | 'PROPOSAL_ENDORSED'
  | 'PROPOSAL_STATUS_CHANGED'
  | 'VOTE_CAST'
  | 'VOTE_REVOKED'
  | 'VOTES_CONFIRMED'
  | 'VOTES_ROLLED_BACK'
  | 'EXECUTION_FROZEN'
  | 'EXECUTION_VOIDED'
  | 'EXECUTION_SENT'
  | 'EXECUTION_CONFIRMED'
  | 'EXECUTION_ROLLED_BACK'
  | 'EXECUTION_FAILED'
  | 'SETTLEMENT_PLANNED'
  | 'DEPOSITS_DELIVERED'
  | 'DEPOSITS_DELIVERY_ROLLED_BACK'
  | 'DEPOSITS_REFUNDED'
  | 'DEPOSITS_REFUND_ROLLED_BACK'
  | 'DEPOSIT_RECLAIMED'
  | 'DEPOSIT_RECLAIM_ROLLED_BACK'
  | 'SETTLEMENT_REVISED';

export interface NewEvent {
  type: EventType;
  vaultId: string | null;
  /** The wallet that acted, or `platform`. */
  actor: string;
  transactionHash: string | null;
  correlationId: string;
  data: Readonly<Record<string, unknown>>;
}

/** Records an event in the transaction of the change that caused it; the sequencer numbers it after commit. */
export async function recordEvent(context: TransactionContext, event: NewEvent): Promise<void> {
  await recordEvents(context, [event]);
}

/** As `recordEvent`, for many events; numbered in this order. */
export async function recordEvents({ tx, ids, now }: TransactionContext, events: readonly NewEvent[]): Promise<void> {
  await tx
    .insertInto('outbox')
    .values(
      events.map((event) => ({
        id: ids.next(),
        type: event.type,
        vault_id: event.vaultId,
        actor: event.actor,
        transaction_hash: event.transactionHash,
        correlation_id: event.correlationId,
        data: JSON.stringify(event.data),
        occurred_at: new Date(now),
      })),
    )
    .execute();
}
