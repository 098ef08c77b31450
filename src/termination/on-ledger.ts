import { releaseAssets, restoreAssets } from '../assets/on-ledger.ts';
import { handedSurplus } from '../cardano/build/termination.ts';
import { platformEventFields, publish } from '../events/publish.ts';
import type { EventTypeLike } from '../events/queries/event-data.ts';
import { type TransactionEffects, nothing } from '../ledger-follower/effects/transaction-effects.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { vaultWorkflowId } from '../platform/temporal/workflow-ids.ts';
import { signalTransactionChanged } from '../platform/temporal/workflow-outbox.ts';
import { publishClaimsChange, resumeEnd } from './begin-termination.ts';
import { changeClaimStatus, type Claim, lockClaimOfTransaction } from './queries/claims.ts';
import {
  changePot,
  lockTermination,
  withdrawClaims,
  findTermination,
  reopenClaims,
  setGrace,
  type Termination,
} from './queries/terminations.ts';
import { graceAfterLostClaim } from './rules/claims.ts';
import type { ChainTransaction } from '../transactions/queries/transactions.ts';
import { depositsInTransaction, depositsPaidBy } from '../transactions/queries/recorded-transactions.ts';
import { getVault } from '../vaults/queries/vaults.ts';

/**
 * What gathering changes is read from the transactions themselves (services/terminations). One that can never be confirmed any more once the claims
 * are open was undone by a rollback: what it has gathered is with the vault again, and nobody can claim until it is back in the pot.
 */
export const gatherPotEffects: TransactionEffects = {
  confirmed: nothing,
  rolledBack: nothing,
  async ended(context, { vaultId, hash }) {
    const termination = vaultId === null ? null : await lockTermination(context.tx, vaultId);
    if (!termination?.claimsOpenedAt) return;
    await withdrawClaims(context.tx, termination.vaultId);
    const source = { ...platformEventFields(termination.vaultId), transactionHash: hash };
    await publish(context, { event: { type: 'CLAIMS_WITHDRAWN', ...source, data: {} } });
    await resumeEnd(context, termination.vaultId);
  },
};

/** Assets are RELEASED while the transaction that hands them over is on the ledger. ADA that it brings into the pot counts once it is final. */
export const handOverEffects: TransactionEffects = {
  async confirmed(context, transaction) {
    await releaseAssets(context, await assetsIn(context, transaction), 'handed_over');
    await publishAssets(context, 'ASSETS_HANDED_OVER', transaction);
  },
  final: (context, transaction) => creditSurplus(context, transaction, 1n),
  async rolledBack(context, transaction) {
    if (transaction.state === 'final') await creditSurplus(context, transaction, -1n);
    await restoreAssets(context, await assetsIn(context, transaction));
    await publishAssets(context, 'ASSETS_HAND_OVER_ROLLED_BACK', transaction);
  },
  ended: takeStepAgain,
};

/** Before the claims open, what their pot is follows from the transactions (open-claims.ts). */
async function creditSurplus(
  context: TransactionContext,
  transaction: ChainTransaction,
  sign: 1n | -1n,
): Promise<void> {
  const { tx } = context;
  const { vaultId } = transaction;
  const termination = vaultId === null ? null : await lockTermination(tx, vaultId);
  if (!termination?.claimsOpenedAt) return;
  const surplus = handedSurplus(transaction, await getVault(tx, termination.vaultId));
  if (surplus === 0n) return;
  const changed = await changePot(tx, termination.vaultId, { lovelace: sign * surplus });
  await publishClaimsChange(context, changed, transaction);
}

/** What is paid to the wallet for what nobody claims is not in the pot while that transaction is on the ledger. */
export const payRemainderEffects: TransactionEffects = {
  confirmed: (context, transaction) => movePot(context, transaction, -1n),
  rolledBack: (context, transaction) => movePot(context, transaction, 1n),
  ended: takeStepAgain,
};

/** What closing changes is read from the transactions themselves (services/terminations). */
export const closeVaultEffects: TransactionEffects = { confirmed: nothing, rolledBack: nothing, ended: takeStepAgain };

async function takeStepAgain(context: TransactionContext, { vaultId }: ChainTransaction): Promise<void> {
  if (vaultId !== null) await resumeEnd(context, vaultId);
}

async function assetsIn({ tx }: TransactionContext, { id }: ChainTransaction): Promise<string[]> {
  return (await depositsInTransaction(tx, id)).map(({ depositId }) => depositId);
}

async function movePot(context: TransactionContext, transaction: ChainTransaction, sign: 1n | -1n): Promise<void> {
  const { tx } = context;
  const { vaultId, outputs } = transaction;
  const termination = vaultId === null ? null : await lockTermination(tx, vaultId);
  // The payment is its first output, whatever else goes to that wallet.
  const paid = outputs[0]?.lovelace;
  if (!termination || paid === undefined) return;
  const { vaultId: id, pot } = termination;
  // A small remainder was topped up to what an output has to hold. After a rollback the pot counts that too: it is paid again.
  const lovelace = sign === 1n ? paid : 0n - (paid < pot.lovelace ? paid : pot.lovelace);
  await publishClaimsChange(context, await changePot(tx, id, { lovelace }), transaction);
}

async function publishAssets(
  context: TransactionContext,
  type: EventTypeLike<'ASSETS_HANDED_OVER'>,
  { id, hash, vaultId }: ChainTransaction,
): Promise<void> {
  if (vaultId === null) return;
  const assets = (await depositsPaidBy<'hand_over'>(context.tx, id)).map(({ depositId: assetId, payment }) => ({
    assetId,
    address: payment.address,
  }));
  const wallets = [...new Set(assets.map(({ address }) => address))];
  const source = { ...platformEventFields(vaultId), wallets, transactionHash: hash };
  await publish(context, { event: { type, ...source, data: { assets } } });
}

/** A claim is PAID while its transaction is on the ledger; the pot has what is left (design D31). */
export const claimEffects: TransactionEffects = {
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
