import type { ChainTransaction } from '../../store/chain-transactions.ts';
import { changeClaimStatus, type Claim, lockClaimOfTransaction } from '../../store/claims.ts';
import type { EventTypeLike } from '../../store/event-data/event-data.ts';
import { changePot, findTermination } from '../../store/terminations.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { enqueueWorkflowMessage } from '../../store/workflow-outbox.ts';
import { vaultWorkflowId } from '../../temporal/workflow-ids.ts';
import { publish } from '../publish.ts';
import type { Consequences } from './consequences.ts';

/** A claim is PAID while its transaction is on the ledger; the pot has what is left (design D31). */
export const claimConsequences: Consequences = {
  async revived(context, transaction) {
    await changeClaimStatus(context, await claimOf(context, transaction), 'PENDING', 'rollback');
  },
  async confirmed(context, transaction) {
    const claim = await claimOf(context, transaction);
    const { vaultId, payout, amount } = claim;
    await changeClaimStatus(context, claim, 'PAID');
    await changePot(context.tx, vaultId, { lovelace: 0n - payout, circulating: 0n - amount });
    await publishClaim(context, 'CLAIM_CONFIRMED', claim, transaction);
  },
  final: signalVault,
  async rolledBack(context, transaction) {
    const claim = await claimOf(context, transaction);
    const { vaultId, payout, amount } = claim;
    await changeClaimStatus(context, claim, 'PENDING', 'rollback');
    await changePot(context.tx, vaultId, { lovelace: payout, circulating: amount });
    await publishClaim(context, 'CLAIM_ROLLED_BACK', claim, transaction);
  },
  async ended(context, transaction, end) {
    const claim = await claimOf(context, transaction);
    await changeClaimStatus(context, claim, end === 'failed' ? 'FAILED' : 'EXPIRED');
    await publishClaim(context, 'CLAIM_EXPIRED', claim, transaction);
    await signalVault(context, transaction);
  },
};

function claimOf({ tx }: TransactionContext, { id }: ChainTransaction): Promise<Claim> {
  return lockClaimOfTransaction(tx, id);
}

/** The workflow of the vault waits for the last tokens, and after the deadline for the last open claim. */
async function signalVault(context: TransactionContext, { vaultId }: ChainTransaction): Promise<void> {
  // Without the lock of the row: claims that are superseded by many requests at once would wait for each other.
  const termination = vaultId === null ? null : await findTermination(context.tx, vaultId);
  if (!termination?.claimDeadline) return;
  if (termination.pot.circulating > 0n && context.now < termination.claimDeadline) return;
  const signal = { kind: 'signal', signal: 'transactionChanged' } as const;
  await enqueueWorkflowMessage(context, vaultWorkflowId(termination.vaultId), signal);
}

async function publishClaim(
  context: TransactionContext,
  type: EventTypeLike<'CLAIM_CONFIRMED'>,
  { id: claimId, vaultId, wallet: actor, amount, payout }: Claim,
  { hash: transactionHash, ownerWorkflow: correlationId }: ChainTransaction,
): Promise<void> {
  const data = { claimId, amountBaseUnits: amount.toString(), payoutLovelace: payout.toString() };
  await publish(context, { event: { type, vaultId, actor, transactionHash, correlationId, data } });
}
