import { vaultWorkflowId } from '../../temporal/workflow-ids.ts';
import type { ChainTransaction } from '../../store/chain-transactions.ts';
import { moveInvestment, releaseDeposit, restoreDeposit } from '../settlements/release-deposits.ts';
import type { Consequences } from './consequences.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import type { EventType } from '../../store/event-types.ts';
import { recordEvent } from '../../store/events.ts';
import { type DepositInTransaction, depositsInTransaction } from '../../store/transaction-deposits.ts';
import { transitionVault } from '../vaults/transitions.ts';
import { platformEventFields } from '../publish.ts';
import { getVault, lockVaultRow } from '../../store/vaults.ts';
import { enqueueWorkflowMessage } from '../../store/workflow-outbox.ts';

const nothing = (): Promise<void> => Promise.resolve();

/** The mint and the liquidity share: a vault is not LOCKED while one of them is off the ledger (design D6). */
export const settlementConsequences: Consequences = { confirmed: nothing, rolledBack: unlockVault, ended: nothing };

/** An investment is SETTLED while the delivery that took its ADA is on the ledger. */
export const deliverConsequences: Consequences = {
  async confirmed(scene, transaction) {
    await eachDeposit(scene, transaction, async ({ depositId, depositKind }) => {
      if (depositKind === 'investment') await moveInvestment(scene, depositId, { status: 'SETTLED' });
    });
    await tellDeposits(scene, 'DEPOSITS_DELIVERED', transaction);
  },
  async rolledBack(scene, transaction) {
    await unlockVault(scene, transaction);
    await eachDeposit(scene, transaction, async ({ depositId, depositKind }) => {
      if (depositKind === 'investment')
        await moveInvestment(scene, depositId, { status: 'CONFIRMED', direction: 'rollback' });
    });
    await tellDeposits(scene, 'DEPOSITS_DELIVERY_ROLLED_BACK', transaction);
  },
  ended: nothing,
};

/** Deposits of a failed vault are back with their owners while the refund is on the ledger. */
export const refundConsequences: Consequences = {
  async confirmed(scene, transaction) {
    await eachDeposit(scene, transaction, (deposit) => releaseDeposit(scene, deposit, 'refunded'));
    await tellDeposits(scene, 'DEPOSITS_REFUNDED', transaction);
  },
  async rolledBack(scene, transaction) {
    await eachDeposit(scene, transaction, (deposit) => restoreDeposit(scene, deposit));
    await tellDeposits(scene, 'DEPOSITS_REFUND_ROLLED_BACK', transaction);
  },
  /** What it should have returned is in the vault again, whose workflow may have ended long ago. */
  async ended({ tx, ids }, { vaultId }) {
    if (vaultId === null || (await getVault(tx, vaultId)).status !== 'TERMINATED') return;
    await enqueueWorkflowMessage({ tx, ids }, vaultWorkflowId(vaultId), {
      kind: 'start',
      workflow: 'vault',
      vaultId,
      again: true,
    });
  },
};

async function unlockVault(scene: TransactionContext, { vaultId }: ChainTransaction): Promise<void> {
  if (vaultId === null) return;
  const vault = await lockVaultRow(scene.tx, vaultId);
  if (vault.status === 'LOCKED') await transitionVault(scene, vault, { status: 'ACTIVE', direction: 'rollback' });
}

async function eachDeposit(
  { tx }: TransactionContext,
  { id }: ChainTransaction,
  act: (deposit: DepositInTransaction) => Promise<void>,
): Promise<void> {
  for (const deposit of await depositsInTransaction(tx, id)) await act(deposit);
}

async function tellDeposits(
  context: TransactionContext,
  type: EventType,
  { id, hash, vaultId }: ChainTransaction,
): Promise<void> {
  const { tx } = context;
  if (vaultId === null) return;
  const deposits = (await depositsInTransaction(tx, id)).map(({ depositId, depositKind, payment }) => ({
    depositId,
    depositKind,
    payment,
  }));
  await recordEvent(context, { type, ...platformEventFields(vaultId), transactionHash: hash, data: { deposits } });
}
