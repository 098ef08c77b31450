import { readChainFacts } from '../src/chain/chain-facts.ts';
import { buildReturn } from '../src/chain/build-return.ts';
import type { Deposit } from '../src/chain/deposits.ts';
import type { Instant } from '../src/domain/instant.ts';
import { isOnLedger } from '../src/domain/transaction-state.ts';
import { vaultAssets } from '../src/store/assets.ts';
import { vaultInvestments } from '../src/store/investments.ts';
import { reclaimDeposit } from '../src/store/settlement-effects.ts';
import { type DepositKind, depositsTaken, tieDeposits } from '../src/store/settlements.ts';
import { getVault, type Vault } from '../src/store/vaults.ts';
import type { PreparationActivities } from '../src/temporal/activities.ts';
import { depositOf } from './deposits.ts';
import type { WorkerDeps } from './deps.ts';
import { reclaimedBy } from './reclaimed.ts';
import { liveTransaction, recordOwn, ttlSlotAt } from './preparation.ts';

/** More deposits than ever fit into one transaction; the builder takes what does. */
const MOST_DEPOSITS = 80;

interface OpenDeposit {
  readonly depositId: string;
  readonly depositKind: DepositKind;
  readonly owner: string;
  readonly transactionId: string;
}

type Deps = Pick<WorkerDeps, 'db' | 'unitOfWork' | 'ids' | 'ledger' | 'networkId' | 'confirmationDepth'>;

/** Returns every deposit of a failed vault to its owner, whole but for its share of the fee. */
export function createRefundActivities(deps: Deps): Pick<PreparationActivities, 'prepareRefund'> {
  return {
    async prepareRefund({ vaultId, now }) {
      const live = await liveTransaction(deps, vaultId, 'refund');
      if (live && !isOnLedger(live.state)) return { transactionId: live.id };
      const vault = await getVault(deps.db, vaultId);
      const open = await stillThere(deps, vault, await openDeposits(deps, vaultId), now);
      if (open.length === 0) return null;

      const chain = await readChainFacts(deps);
      const ttlSlot = ttlSlotAt(chain.anchor, now, null);
      if (ttlSlot === null) throw new Error('a refund always has time to land');
      const built = buildReturn(chain, {
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
      return recordOwn(deps, record, (tx, transactionId) => tieDeposits(tx, transactionId, deposits));
    },
  };
}

/** Before T only the vault moves deposits; from then on their owners may have been faster, which is put down here. */
async function stillThere(
  deps: Deps,
  vault: Vault,
  open: readonly OpenDeposit[],
  now: Instant,
): Promise<(OpenDeposit & { deposit: Deposit })[]> {
  const there: (OpenDeposit & { deposit: Deposit })[] = [];
  for (const candidate of open) {
    const deposit = await depositOf(deps, vault, candidate.owner, candidate.transactionId);
    const spender = now < vault.settlesBy ? null : await reclaimedBy(deps, deposit);
    if (spender === null) there.push({ ...candidate, deposit });
    else await deps.unitOfWork(({ tx }) => reclaimDeposit({ tx, ids: deps.ids, now }, vault.id, candidate, spender));
    if (there.length === MOST_DEPOSITS) break;
  }
  return there;
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
