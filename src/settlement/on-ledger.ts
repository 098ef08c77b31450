import { type TransactionEffects, nothing } from '../ledger-follower/effects/transaction-effects.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { publishDelivery, publishRefund } from './publish-payments.ts';
import { moveInvestments, releaseDeposits, restoreDeposits } from './release-deposits.ts';
import type { ChainTransaction } from '../transactions/queries/transactions.ts';
import { depositsInTransaction } from '../transactions/queries/recorded-transactions.ts';
import { vaultTransactions } from '../transactions/queries/listed-transactions.ts';
import { isOnLedger } from '../transactions/rules.ts';
import { setFtUnit } from '../vaults/queries/vault-changes.ts';
import { lockVaultRow } from '../vaults/queries/vaults.ts';
import { resumeRefunds, transitionVault } from '../vaults/transitions.ts';

/** The liquidity share, and the mint too: a vault is not LOCKED while one of them is off the ledger (design D6). */
export const settlementEffects: TransactionEffects = { confirmed: nothing, rolledBack: unlockVault, ended: nothing };

/** An investment is SETTLED while the delivery that took its ADA is on the ledger. */
export const deliverEffects: TransactionEffects = {
  async confirmed(context, transaction) {
    await moveInvestments(context, await depositsInTransaction(context.tx, transaction.id), { status: 'SETTLED' });
    await publishDelivery(context, 'DEPOSITS_DELIVERED', transaction);
  },
  async rolledBack(context, transaction) {
    await unlockVault(context, transaction);
    const deposits = await depositsInTransaction(context.tx, transaction.id);
    await moveInvestments(context, deposits, { status: 'CONFIRMED', direction: 'rollback' });
    await publishDelivery(context, 'DEPOSITS_DELIVERY_ROLLED_BACK', transaction);
  },
  ended: nothing,
};

/** Deposits that a vault returns are back with their owners while the refund is on the ledger. */
export const refundEffects: TransactionEffects = {
  async confirmed(context, transaction) {
    await releaseDeposits(context, await depositsInTransaction(context.tx, transaction.id), 'refunded');
    await publishRefund(context, 'DEPOSITS_REFUNDED', transaction);
  },
  async rolledBack(context, transaction) {
    await unlockVault(context, transaction);
    await restoreDeposits(context, await depositsInTransaction(context.tx, transaction.id));
    await publishRefund(context, 'DEPOSITS_REFUND_ROLLED_BACK', transaction);
  },
  /** The deposits it should have returned are in the vault again; its workflow may have ended. */
  async ended(context, { vaultId }) {
    if (vaultId !== null) await resumeRefunds(context, vaultId);
  },
};

async function unlockVault(context: TransactionContext, { vaultId }: ChainTransaction): Promise<void> {
  if (vaultId === null) return;
  const vault = await lockVaultRow(context.tx, vaultId);
  if (vault.status === 'LOCKED') await transitionVault(context, vault, { status: 'ACTIVE', direction: 'rollback' });
}

/** The token of a vault is what its first mint on the ledger has made. An operator decides about a second one (design D45). */
export const mintEffects: TransactionEffects = {
  ...settlementEffects,
  async confirmed({ tx }, mint) {
    const { id, vaultId, hash } = mint;
    if (vaultId === null) return;
    const earlier = (await vaultTransactions(tx, vaultId, ['mint'])).find(
      (other) => other.id !== id && isOnLedger(other.state),
    );
    if (earlier) throw new Error(`mint ${hash} landed after mint ${earlier.hash} of vault ${vaultId}`);
    await setFtUnit(tx, vaultId, mintedUnit(mint));
  },
};

/** Its first output holds the whole supply, and nothing else. */
function mintedUnit({ hash, outputs }: ChainTransaction): string {
  const [unit] = outputs[0]?.assets.keys() ?? [];
  if (unit === undefined) throw new Error(`mint ${hash} mints no token`);
  return unit;
}
