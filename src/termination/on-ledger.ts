import { handedSurplus } from '../cardano/build/handed-surplus.ts';
import type { ChainTransaction } from '../transactions/queries/chain-transactions.ts';
import type { EventTypeLike } from '../events/queries/event-data/event-data.ts';
import { changePot, lockTermination, withdrawClaims } from './queries/terminations.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { depositsInTransaction, depositsPaidBy } from '../transactions/queries/transaction-deposits.ts';
import { getVault } from '../vaults/queries/vaults.ts';
import { releaseAssets, restoreAssets } from '../assets/departing-assets.ts';
import { platformEventFields, publish } from '../events/publish.ts';
import { publishClaimsChange } from './publish-claims-change.ts';
import { resumeEnd } from './resume-end.ts';
import { type Consequences, nothing } from '../ledger-follower/effects/consequences.ts';

/**
 * What gathering changes is read from the transactions themselves (services/terminations). One that can never land any more once the claims
 * are open was undone by a rollback: what it has gathered is with the vault again, and nobody can claim until it is back in the pot.
 */
export const gatherPotConsequences: Consequences = {
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
export const handOverConsequences: Consequences = {
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
export const payRemainderConsequences: Consequences = {
  confirmed: (context, transaction) => movePot(context, transaction, -1n),
  rolledBack: (context, transaction) => movePot(context, transaction, 1n),
  ended: takeStepAgain,
};

/** What closing changes is read from the transactions themselves (services/terminations). */
export const closeVaultConsequences: Consequences = { confirmed: nothing, rolledBack: nothing, ended: takeStepAgain };

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
