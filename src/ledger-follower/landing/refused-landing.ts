import { ServiceError } from '../../platform/errors/errors.ts';
import { hasEnded } from '../../transactions/rules/transaction-state.ts';
import { requireJust } from '../../signing-policy/judged.ts';
import type { ChainTransaction } from '../../transactions/queries/chain-transactions.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';
import { holdForOperator } from '../../vaults/holds.ts';
import type { WorkerContext } from '../../worker-context.ts';
import type { Move } from '../effects/transactions.ts';
import { requireAsRecorded } from './as-recorded.ts';
import { readOwnBytes } from './own-bytes.ts';

/** What a landing is judged and recorded with. */
export interface Landing extends Pick<WorkerContext, 'networkId' | 'onUnjustified'> {
  readonly move: Move;
}

/** Refuses what has landed as something else than its row says, and returns whether it did. Throws UnreadableRow. */
export async function refuseIfUnjustified(
  context: TransactionContext,
  transaction: ChainTransaction,
  landing: Landing,
): Promise<boolean> {
  const reason = await unjustifiedBecause(context, transaction, landing);
  if (reason !== null) await refuseLanding(context, transaction, reason, landing);
  return reason !== null;
}

/** Why what has landed is not what was recorded; null when it is. */
async function unjustifiedBecause(
  context: TransactionContext,
  recorded: ChainTransaction,
  { networkId }: Landing,
): Promise<string | null> {
  try {
    const transaction = readOwnBytes(recorded);
    requireJust(transaction !== null, 'its bytes are not those of a transaction of the platform');
    await requireAsRecorded({ ...context, networkId }, { recorded, transaction });
    return null;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // A row with a wallet that is none justifies nothing, either.
    const reason = error.details?.['reason'];
    return typeof reason === 'string' ? reason : error.message;
  }
}

/** It is on the ledger, but not as what its row says: the row ends like one that can never land. A rollback changes nothing of that. */
async function refuseLanding(
  context: TransactionContext,
  transaction: ChainTransaction,
  reason: string,
  { move, onUnjustified }: Landing,
): Promise<void> {
  const refusal = `what landed is something else than was recorded: ${reason}`;
  onUnjustified(transaction, refusal);
  const { vaultId, state } = transaction;
  if (vaultId !== null) await holdForOperator(context, vaultId, 'unjustified_transaction');
  if (hasEnded(state)) return;
  await move(context, transaction, { to: 'failed', reason: refusal });
}
