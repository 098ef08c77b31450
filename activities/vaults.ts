import type { ChainTransaction } from '../src/store/chain-transactions.ts';
import { isAnyOpen, vaultTransactions } from '../src/store/vault-transactions.ts';
import { vaultAssets } from '../src/store/vault-assets.ts';
import { depositsInLiveTransactions } from '../src/store/transaction-deposits.ts';
import { vaultEntitlements } from '../src/store/entitlements.ts';
import { setFailureReason } from '../src/store/vault-changes.ts';
import { getVault, lockVaultRow, type Vault } from '../src/store/vaults.ts';
import { depositKinds, isOpen, isOnLedger } from '../src/domain/transaction/transaction-state.ts';
import { instant } from '../src/domain/units/instant.ts';
import { closeFence } from '../src/store/fences.ts';
import type { TransactionContext } from '../src/store/transaction-context.ts';
import { activateVault, transitionVault, transitionWindow } from '../src/services/vaults/transitions.ts';
import { refundReasonOf } from '../src/domain/vault/vault.ts';
import { getWindows, type VaultWindows } from '../src/store/windows.ts';
import type { Failure, VaultActivities, WindowTransition } from '../src/temporal/activities.ts';
import type { WorkerContext } from '../src/services/worker-context.ts';
import { releaseVault } from '../src/services/vaults/holds.ts';
import { createPlanningActivities } from './planning.ts';

type Deps = Pick<
  WorkerContext,
  'db' | 'unitOfWork' | 'ids' | 'priceSource' | 'durationBounds' | 'lpMinimum' | 'onTransition'
>;

const settlement = ['mint', 'deliver', 'liquidity'] as const;

/** The steps of a vault's life that change Postgres only. */
export function createVaultActivities(deps: Deps): VaultActivities {
  const { db, unitOfWork, ids, onTransition } = deps;
  return {
    ...createPlanningActivities(deps),

    async readSchedule({ vaultId }) {
      const [vault, windows] = await Promise.all([getVault(db, vaultId), getWindows(db, vaultId)]);
      return { turns: turnsOf(windows), settlesBy: vault.settlesBy, status: vault.status };
    },

    async turnWindow({ vaultId, window: kind, turn, now }) {
      const { vault, window, turns } = await unitOfWork(async ({ tx }) => {
        const scene = { tx, ids, now };
        await closeFence(tx, `window:${vaultId}:${kind}`);
        const window = (await getWindows(tx, vaultId))[kind];
        const turns = window.status === (turn === 'open' ? 'PENDING' : 'ACTIVE');
        if (turn === 'open') {
          if (turns) await transitionWindow(scene, vaultId, window, 'ACTIVE');
          await activateVault(scene, vaultId);
        } else if (turns) {
          const empty = kind === 'asset' && !(await anyAssetCanBeThere(scene, vaultId));
          await transitionWindow(scene, vaultId, window, empty ? 'FAILED' : 'COMPLETED');
          if (empty) await setFailureReason(tx, vaultId, 'no_assets', now);
        }
        return { vault: await getVault(tx, vaultId), window, turns };
      });
      // A window may begin in the past; nothing was due before there was a vault.
      const dueAt = turn === 'open' ? Math.max(window.startsAt, vault.createdAt) : window.endsAt;
      if (turns) onTransition(`${kind}_window_${turn}`, instant(dueAt));
      return failureOf(vault);
    },

    async readFailure({ vaultId }) {
      const { failedBecause, status } = await getVault(db, vaultId);
      return { reason: refundReasonOf(failedBecause), status };
    },

    async depositsAreFinal({ vaultId }) {
      return (await isAnyOpen(db, vaultId, depositKinds)) ? null : true;
    },

    failVault({ vaultId, reason, now }) {
      return unitOfWork(async ({ tx }) => {
        const scene = { tx, ids, now };
        await closeFence(tx, `window:${vaultId}:asset`);
        await closeFence(tx, `window:${vaultId}:investment`);
        await setFailureReason(tx, vaultId, reason, now);
        await releaseVault(scene, vaultId);
        const { asset, investment } = await getWindows(tx, vaultId);
        for (const window of [asset, investment]) {
          if (window.status === 'PENDING' || window.status === 'ACTIVE')
            await transitionWindow(scene, vaultId, window, 'FAILED');
        }
      });
    },

    lockVault({ vaultId, now }) {
      return unitOfWork(async ({ tx }) => {
        const vault = await lockVaultRow(tx, vaultId);
        const scene = { tx, ids, now };
        const standing = { status: vault.status, undone: false };
        if (vault.status !== 'ACTIVE') return standing;
        const transactions = await settlementOf(scene, vaultId);
        if (!transactions.every(({ state }) => isOnLedger(state))) return standing;
        if (!(await isComplete(scene, vaultId, transactions))) return { ...standing, undone: true };
        await transitionVault(scene, vault, { status: 'LOCKED' });
        return { status: 'LOCKED', undone: false };
      });
    },

    terminateVault({ vaultId, reason, now }) {
      return unitOfWork(async ({ tx }) => {
        const vault = await lockVaultRow(tx, vaultId);
        const refunds = await vaultTransactions(tx, vaultId, ['refund']);
        if (refunds.some(({ state }) => isOpen(state) && !isOnLedger(state))) return 'refunding';
        if (vault.status !== 'TERMINATED')
          await transitionVault({ tx, ids, now }, vault, { status: 'TERMINATED', terminationReason: reason });
        return 'terminated';
      });
    },
  };
}

function turnsOf({ asset, investment }: VaultWindows): WindowTransition[] {
  const turns = [asset, investment].flatMap(({ kind: window, startsAt, endsAt }): WindowTransition[] => [
    { window, turn: 'open', at: startsAt },
    { window, turn: 'close', at: endsAt },
  ]);
  return turns.sort((one, other) => one.at - other.at || other.turn.localeCompare(one.turn));
}

function failureOf({ failedBecause }: Vault): Failure | null {
  const reason = refundReasonOf(failedBecause);
  return reason === null ? null : { reason };
}

/** Whether an asset lies in the vault or may still land there: one on its way was sent before the window closed. */
async function anyAssetCanBeThere({ tx }: TransactionContext, vaultId: string): Promise<boolean> {
  return (await vaultAssets(tx, vaultId, ['PENDING', 'LOCKED'])).length > 0;
}

/** The transactions of a vault's settlement that have landed or still may. */
async function settlementOf({ tx }: TransactionContext, vaultId: string): Promise<ChainTransaction[]> {
  const transactions = await vaultTransactions(tx, vaultId, settlement);
  return transactions.filter(({ state }) => state !== 'expired' && state !== 'failed');
}

/** Whether these are all that the plan promises. */
async function isComplete(
  { tx }: TransactionContext,
  vaultId: string,
  transactions: readonly ChainTransaction[],
): Promise<boolean> {
  const kinds = transactions.map(({ kind }) => kind);
  if (!kinds.includes('mint') || !kinds.includes('liquidity')) return false;
  const delivered = await depositsInLiveTransactions(tx, vaultId, 'deliver');
  const entitlements = await vaultEntitlements(tx, vaultId);
  return entitlements.every(({ depositId, reclaimed }) => reclaimed || delivered.has(depositId));
}
