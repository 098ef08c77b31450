import type { Deposit } from '../src/chain/build/deposits.ts';
import type { Instant } from '../src/domain/units/instant.ts';
import type { Asset } from '../src/store/assets.ts';
import { vaultAssets } from '../src/store/vault-assets.ts';
import type { Investment } from '../src/store/investments.ts';
import { vaultInvestments } from '../src/store/vault-investments.ts';
import { findTransactionByHash } from '../src/store/chain-transactions.ts';
import type { DepositRef } from '../src/services/settlements/release-deposits.ts';
import { type Reclaim, recordReclaims, undoReclaims } from '../src/services/settlements/reclaims.ts';
import type { Vault } from '../src/store/vaults.ts';
import { depositOf } from './deposits.ts';
import type { WorkerContext } from '../src/services/worker-context.ts';
import { isUnspent, findSpendingTransaction } from '../src/services/transactions/find-spending-transaction.ts';
import { refText } from '../src/domain/transaction/utxo-ref.ts';

type Deps = Pick<WorkerContext, 'db' | 'unitOfWork' | 'ids' | 'ledger' | 'networkId' | 'confirmationDepth'>;

/** A deposit in a vault, and the transaction that brought it. */
export interface OpenDeposit extends DepositRef {
  readonly owner: string;
  readonly transactionId: string;
}

/**
 * The first of these deposits that are still there, with what spends them. Before T only the vault moves deposits; from then
 * on owners may have been faster, which is put down here.
 */
export async function stillThere<Open extends OpenDeposit>(
  deps: Deps,
  vault: Vault,
  open: readonly Open[],
  { now, most }: { now: Instant; most: number },
): Promise<(Open & { deposit: Deposit })[]> {
  const there: (Open & { deposit: Deposit })[] = [];
  const reclaims: Reclaim[] = [];
  for (const candidate of open) {
    const deposit = await depositOf(deps, vault, candidate.owner, candidate.transactionId);
    const transactionHash = now < vault.settlesBy ? null : await reclaimedBy(deps, deposit);
    if (transactionHash === null) there.push({ ...candidate, deposit });
    else reclaims.push({ ...candidate, transactionHash });
    if (there.length === most) break;
  }
  if (reclaims.length > 0)
    await deps.unitOfWork(({ tx }) => recordReclaims({ tx, ids: deps.ids, now }, vault.id, reclaims));
  return there;
}

/** Puts down which reclaimed deposits lie in the vault again because the ledger was rolled back; only of the kinds that can still be dealt with. */
export async function findReturned(
  deps: Deps,
  vault: Vault,
  kinds: readonly DepositRef['depositKind'][],
  now: Instant,
): Promise<void> {
  const returned: OpenDeposit[] = [];
  for (const candidate of await reclaimedDeposits(deps, vault)) {
    if (!kinds.includes(candidate.depositKind)) continue;
    const { utxo } = await depositOf(deps, vault, candidate.owner, candidate.transactionId);
    if (await isUnspent(deps, utxo)) returned.push(candidate);
  }
  if (returned.length > 0)
    await deps.unitOfWork(({ tx }) => undoReclaims({ tx, ids: deps.ids, now }, vault.id, returned));
}

async function reclaimedDeposits({ db }: Deps, { id }: Vault): Promise<OpenDeposit[]> {
  const [assets, investments] = await Promise.all([
    vaultAssets(db, id, ['RELEASED']),
    vaultInvestments(db, id, ['REFUNDED']),
  ]);
  const isReclaimed = ({ releaseReason }: { releaseReason: string | null }) => releaseReason === 'reclaimed';
  return openDeposits(assets.filter(isReclaimed), investments.filter(isReclaimed));
}

/**
 * The hash of the transaction by which an owner has taken a deposit back alone, as he can from T on (design D20); null while
 * it is there. Throws while that is not certain yet, and when the deposit itself is not on the ledger at present.
 */
async function reclaimedBy(deps: Deps, { utxo }: Pick<Deposit, 'utxo'>): Promise<string | null> {
  if (await isUnspent(deps, utxo)) return null;
  const found = await findSpendingTransaction(deps, utxo);
  if (found.kind === 'absent') throw new Error(`deposit ${refText(utxo)} is not on the ledger at present`);
  if (await findTransactionByHash(deps.db, found.spender))
    throw new Error(`deposit ${refText(utxo)} was spent by our own transaction ${found.spender}`);
  if (!found.isFinal)
    throw new Error(`deposit ${refText(utxo)} was taken back by ${found.spender}, which is not final yet`);
  return found.spender;
}

const openAsset = ({ id, owner, addTransactionId }: Asset): OpenDeposit => ({
  depositId: id,
  depositKind: 'asset',
  owner,
  transactionId: addTransactionId,
});

const openInvestment = ({ id, wallet, transactionId }: Investment): OpenDeposit => ({
  depositId: id,
  depositKind: 'investment',
  owner: wallet,
  transactionId,
});

/** Deposits as what can be open. */
export function openDeposits(assets: readonly Asset[], investments: readonly Investment[]): OpenDeposit[] {
  return [...assets.map(openAsset), ...investments.map(openInvestment)];
}
