import { buildDepositReturn } from '../src/chain/build/deposit-return.ts';
import { isOnLedger } from '../src/domain/transaction/transaction-state.ts';
import { vaultAssets } from '../src/store/vault-assets.ts';
import { vaultInvestments } from '../src/store/vault-investments.ts';
import { depositsInLiveTransactions, linkDeposits } from '../src/store/transaction-deposits.ts';
import { getVault } from '../src/store/vaults.ts';
import type { PreparationActivities } from '../src/temporal/activities.ts';
import type { WorkerContext } from '../src/services/worker-context.ts';
import { findReturned, openDeposits, type OpenDeposit, stillThere } from './reclaimed.ts';
import { liveTransaction, recordPlatformTransaction } from '../src/services/transactions/platform-transactions.ts';
import { platformTtlSlot } from '../src/services/transactions/deadline.ts';

/** More deposits than ever fit into one transaction; the builder takes what does. */
const MOST_DEPOSITS = 80;

type Deps = Pick<
  WorkerContext,
  'db' | 'unitOfWork' | 'ids' | 'ledger' | 'networkState' | 'networkId' | 'confirmationDepth'
>;

/** Returns every deposit of a failed vault to its owner, whole but for its share of the fee. */
export function createRefundActivities(deps: Deps): Pick<PreparationActivities, 'prepareRefund'> {
  return {
    async prepareRefund({ vaultId, now }) {
      const live = await liveTransaction(deps, vaultId, 'refund');
      if (live && !isOnLedger(live.state)) return { transactionId: live.id };
      const vault = await getVault(deps.db, vaultId);
      if (now >= vault.settlesBy) await findReturned(deps, vault, ['asset', 'investment'], now);
      const open = await stillThere(deps, vault, await unreturned(deps, vaultId), { now, most: MOST_DEPOSITS });
      if (open.length === 0) return null;

      const chain = await deps.networkState();
      const ttlSlot = platformTtlSlot(chain.anchor, now, null);
      if (ttlSlot === null) throw new Error('a refund always has time to land');
      const built = buildDepositReturn(chain, {
        deposits: open.map(({ deposit }) => deposit),
        vaultKeyHash: vault.vaultKeyHash,
        ttlSlot,
      });
      const deposits = open.slice(0, built.taken).map(({ depositId, depositKind }, position) => ({
        depositId,
        depositKind,
        payment: { ...built.payments[position], assets: undefined },
      }));
      const record = { kind: 'refund', vault, built: built.transaction, anchor: chain.anchor, now } as const;
      return recordPlatformTransaction(deps, record, (tx, transactionId) => linkDeposits(tx, transactionId, deposits));
    },
  };
}

/** What no refund returns that has landed or still may. */
async function unreturned({ db }: Deps, vaultId: string): Promise<OpenDeposit[]> {
  const [assets, investments, taken] = await Promise.all([
    vaultAssets(db, vaultId, ['LOCKED']),
    vaultInvestments(db, vaultId, ['CONFIRMED']),
    depositsInLiveTransactions(db, vaultId, 'refund'),
  ]);
  return openDeposits(assets, investments).filter(({ depositId }) => !taken.has(depositId));
}
