import { graceAfterLostClaim } from '../rules/claims/grace.ts';
import type { ChainTransaction } from '../../transactions/queries/chain-transactions.ts';
import { changeClaimStatus, type Claim, lockClaimOfTransaction } from '../queries/claims.ts';
import type { EventTypeLike } from '../../events/queries/event-data/event-data.ts';
import {
  changePot,
  findTermination,
  lockTermination,
  reopenClaims,
  setGrace,
  type Termination,
} from '../queries/terminations.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';
import { signalTransactionChanged } from '../../platform/temporal/workflow-outbox.ts';
import { vaultWorkflowId } from '../../platform/temporal/workflow-ids.ts';
import { publish } from '../../events/publish.ts';
import { publishClaimsChange } from '../publish-claims-change.ts';
import { resumeEnd } from '../resume-end.ts';
import type { Consequences } from '../../ledger-follower/effects/consequences.ts';

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
    // What was never signed was never on its way.
    const isExtended =
      transaction.state !== 'awaiting_signatures' && (await extendAfterLoss(context, claim, transaction));
    await (isExtended ? resumeEnd(context, claim.vaultId) : signalVault(context, transaction));
  },
};

function claimOf({ tx }: TransactionContext, { id }: ChainTransaction): Promise<Claim> {
  return lockClaimOfTransaction(tx, id);
}

/**
 * Lets the claims run longer, or again, and returns whether they do: whoever gets what nobody claims could otherwise push the claims of
 * others out of the last minutes. They are over only when every signed claim is on the ledger, so one that is lost later was rolled back,
 * and with it what was paid to that wallet out of its change.
 */
async function extendAfterLoss(
  context: TransactionContext,
  { vaultId }: Claim,
  transaction: ChainTransaction,
): Promise<boolean> {
  const { tx, now } = context;
  const isExtended = (termination: Termination | null) =>
    termination !== null && (isOverTooSoon(termination) || graceAfterLostClaim(termination, now) !== null);
  // Without the lock of the row, which the claims of a pot would wait for.
  if (!isExtended(await findTermination(tx, vaultId))) return false;
  const termination = await lockTermination(tx, vaultId);
  if (!termination || !isExtended(termination)) return false;
  const grace = graceAfterLostClaim(termination, now);
  const extended = grace && (await setGrace(tx, vaultId, grace));
  const reopened = isOverTooSoon(termination) ? await reopenClaims(tx, vaultId) : null;
  await publishClaimsChange(context, reopened ?? extended, transaction);
  return true;
}

/** Where nobody is named for what is left, it can be claimed after the end, too. */
function isOverTooSoon({ endedBecause, unclaimedLovelaceTo }: Termination): boolean {
  return endedBecause !== null && unclaimedLovelaceTo !== null;
}

/** The workflow of the vault waits for the last tokens, and after the deadline for the last open claim. */
async function signalVault(context: TransactionContext, { vaultId }: ChainTransaction): Promise<void> {
  // Without the lock of the row: claims that are superseded by many requests at once would wait for each other.
  const termination = vaultId === null ? null : await findTermination(context.tx, vaultId);
  if (!termination?.claimDeadline) return;
  if (termination.pot.circulating > 0n && context.now < termination.claimDeadline) return;
  await signalTransactionChanged(context, vaultWorkflowId(termination.vaultId));
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
