import { buildReturn } from '../src/chain/build-return.ts';
import { isOnLedger } from '../src/domain/transaction-state.ts';
import { vaultAssets } from '../src/store/assets.ts';
import { vaultInvestments } from '../src/store/investments.ts';
import { type DepositKind, depositsTaken, tieDeposits } from '../src/store/settlements.ts';
import { getVault } from '../src/store/vaults.ts';
import type { PreparationActivities } from '../src/temporal/activities.ts';
import { depositOf } from './deposits.ts';
import type { WorkerDeps } from './deps.ts';
import { liveTransaction, readPresent, recordOwn, ttlSlotAt } from './preparation.ts';

/** More deposits than ever fit into one transaction; the builder takes what does. */
const MOST_DEPOSITS = 80;

interface OpenDeposit {
  readonly depositId: string;
  readonly depositKind: DepositKind;
  readonly owner: string;
  readonly transactionId: string;
}

type Deps = Pick<WorkerDeps, 'db' | 'unitOfWork' | 'ids' | 'ledger' | 'networkId'>;

/** Returns every deposit of a failed vault to its owner, whole but for its share of the fee. */
export function createRefundActivities(deps: Deps): Pick<PreparationActivities, 'prepareRefund'> {
  return {
    async prepareRefund({ vaultId, now }) {
      const live = await liveTransaction(deps, vaultId, 'refund');
      if (live && !isOnLedger(live.state)) return { transactionId: live.id };
      const open = (await openDeposits(deps, vaultId)).slice(0, MOST_DEPOSITS);
      if (open.length === 0) return null;

      const [vault, { context, anchor }] = await Promise.all([getVault(deps.db, vaultId), readPresent(deps)]);
      const ttlSlot = ttlSlotAt(anchor, now, null);
      if (ttlSlot === null) throw new Error('a refund always has time to land');
      const built = buildReturn(context, {
        deposits: await Promise.all(
          open.map(({ owner, transactionId }) => depositOf(deps, vault, owner, transactionId)),
        ),
        vaultKeyHash: vault.vaultKeyHash,
        ttlSlot,
      });
      const deposits = open.slice(0, built.taken).map(({ depositId, depositKind }, position) => ({
        depositId,
        depositKind,
        payment: { ...built.payments[position], assets: undefined },
      }));
      const record = { kind: 'refund', vault, built: built.transaction, anchor, now } as const;
      return recordOwn(deps, record, (tx, transactionId) => tieDeposits(tx, transactionId, deposits));
    },
  };
}

async function openDeposits({ db }: Deps, vaultId: string): Promise<OpenDeposit[]> {
  const [assets, investments, taken] = await Promise.all([
    vaultAssets(db, vaultId, ['LOCKED']),
    vaultInvestments(db, vaultId, ['CONFIRMED']),
    depositsTaken(db, vaultId, 'refund'),
  ]);
  const all: OpenDeposit[] = [
    ...assets.map(({ id, owner, addTransactionId }) => ({
      depositId: id,
      depositKind: 'asset' as const,
      owner,
      transactionId: addTransactionId,
    })),
    ...investments.map(({ id, wallet, transactionId }) => ({
      depositId: id,
      depositKind: 'investment' as const,
      owner: wallet,
      transactionId,
    })),
  ];
  return all.filter(({ depositId }) => !taken.has(depositId));
}
