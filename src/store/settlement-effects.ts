import { changeAssetStatus, lockAsset } from './assets.ts';
import type { ChainTransaction } from './chain-transactions.ts';
import { type EventType, recordEvent } from './events.ts';
import { changeInvestmentStatus, lockInvestment } from './investments.ts';
import { type DepositInTransaction, depositsIn } from './settlements.ts';
import type { Effects, Scene } from './effects.ts';
import { moveVault, platformEvent } from './vault-progress.ts';
import { lockVaultRow } from './vaults.ts';

const nothing = (): Promise<void> => Promise.resolve();

/** The mint and the liquidity share: a vault is not LOCKED while one of them is off the ledger (design D6). */
export const settlementEffects: Effects = { confirmed: nothing, rolledBack: unlockVault, ended: nothing };

/** An investment is SETTLED while the delivery that took its ADA is on the ledger. */
export const deliverEffects: Effects = {
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
export const refundEffects: Effects = {
  async confirmed(scene, transaction) {
    await eachDeposit(scene, transaction, async ({ depositId, depositKind }) => {
      if (depositKind === 'asset') await moveAsset(scene, depositId, { status: 'RELEASED', reason: 'refunded' });
      else await moveInvestment(scene, depositId, { status: 'REFUNDED' });
    });
    await tellDeposits(scene, 'DEPOSITS_REFUNDED', transaction);
  },
  async rolledBack(scene, transaction) {
    await eachDeposit(scene, transaction, async ({ depositId, depositKind }) => {
      if (depositKind === 'asset') await moveAsset(scene, depositId, { status: 'LOCKED', direction: 'rollback' });
      else await moveInvestment(scene, depositId, { status: 'CONFIRMED', direction: 'rollback' });
    });
    await tellDeposits(scene, 'DEPOSITS_REFUND_ROLLED_BACK', transaction);
  },
  ended: nothing,
};

/** A deposit that its owner has taken back alone after T, by a transaction of his own (design D20). */
export async function reclaimDeposit(
  scene: Scene,
  vaultId: string,
  { depositId, depositKind, owner }: Pick<DepositInTransaction, 'depositId' | 'depositKind'> & { owner: string },
  transactionHash: string,
): Promise<void> {
  if (depositKind === 'asset') await moveAsset(scene, depositId, { status: 'RELEASED', reason: 'reclaimed' });
  else await moveInvestment(scene, depositId, { status: 'REFUNDED' });
  const event = { ...platformEvent(vaultId), actor: owner, transactionHash, data: { depositId, depositKind } };
  await recordEvent(scene.tx, scene.ids, { type: 'DEPOSIT_RECLAIMED', ...event }, scene.now);
}

async function unlockVault(scene: Scene, { vaultId }: ChainTransaction): Promise<void> {
  if (vaultId === null) return;
  const vault = await lockVaultRow(scene.tx, vaultId);
  if (vault.status === 'LOCKED') await moveVault(scene, vault, { status: 'ACTIVE', direction: 'rollback' });
}

async function eachDeposit(
  { tx }: Scene,
  { id }: ChainTransaction,
  act: (deposit: DepositInTransaction) => Promise<void>,
): Promise<void> {
  for (const deposit of await depositsIn(tx, id)) await act(deposit);
}

async function moveAsset(
  { tx, now }: Scene,
  assetId: string,
  change: Parameters<typeof changeAssetStatus>[2],
): Promise<void> {
  const asset = await lockAsset(tx, assetId);
  if (asset) await changeAssetStatus(tx, asset, change, now);
}

async function moveInvestment(
  { tx, now }: Scene,
  investmentId: string,
  change: Parameters<typeof changeInvestmentStatus>[2],
): Promise<void> {
  const investment = await lockInvestment(tx, investmentId);
  if (investment) await changeInvestmentStatus(tx, investment, change, now);
}

async function tellDeposits(
  { tx, ids, now }: Scene,
  type: EventType,
  { id, hash, vaultId }: ChainTransaction,
): Promise<void> {
  if (vaultId === null) return;
  const deposits = (await depositsIn(tx, id)).map(({ depositId, depositKind, payment }) => ({
    depositId,
    depositKind,
    payment,
  }));
  await recordEvent(tx, ids, { type, ...platformEvent(vaultId), transactionHash: hash, data: { deposits } }, now);
}
