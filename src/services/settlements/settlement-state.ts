import type { SlotAnchor } from '../../chain/ledger/slots.ts';
import type { Utxo } from '../../chain/transaction.ts';
import { isOnLedger } from '../../domain/transaction/transaction-state.ts';
import { refText } from '../../domain/transaction/utxo-ref.ts';
import type { Instant } from '../../domain/units/instant.ts';
import type { ChainTransaction } from '../../store/chain-transactions.ts';
import type { Db } from '../../store/database.ts';
import { type Entitlement, vaultEntitlements } from '../../store/entitlements.ts';
import { depositsInLiveTransactions } from '../../store/transaction-deposits.ts';
import { vaultTransactions } from '../../store/vault-transactions.ts';
import { getVault, type Vault } from '../../store/vaults.ts';
import { platformTtlSlot } from '../../chain/ledger/deadline.ts';
import { readStoredDeposits, type StoredDeposit } from '../../store/vault-deposits.ts';

type SettlementKind = 'mint' | 'deliver' | 'liquidity';

/** What one transaction of a settlement is prepared from; read once. */
export interface SettlementState {
  readonly vault: Vault;
  /** Oldest first. */
  readonly transactions: readonly ChainTransaction[];
  /** In the order they are paid. */
  readonly entitlements: readonly Entitlement[];
  /** By their ids. */
  readonly deposits: ReadonlyMap<string, StoredDeposit>;
  /** Ids of the deposits in deliveries that have landed or still may. */
  readonly delivered: ReadonlySet<string>;
}

/** The transactions of a vault's settlement, oldest first. */
export function settlementTransactions(db: Db, vaultId: string): Promise<ChainTransaction[]> {
  return vaultTransactions(db, vaultId, ['mint', 'deliver', 'liquidity']);
}

export async function readSettlement(
  db: Db,
  vaultId: string,
  transactions: readonly ChainTransaction[],
): Promise<SettlementState> {
  const [vault, entitlements, deposits, delivered] = await Promise.all([
    getVault(db, vaultId),
    vaultEntitlements(db, vaultId),
    readStoredDeposits(db, vaultId),
    depositsInLiveTransactions(db, vaultId, 'deliver'),
  ]);
  const byId = new Map(deposits.map((deposit) => [deposit.depositId, deposit]));
  return { vault, transactions, entitlements, deposits: byId, delivered };
}

/** What is owed and in no delivery that has landed or still may; nothing is delivered for a reclaimed deposit. */
export function undelivered({ entitlements, delivered }: SettlementState): Entitlement[] {
  return entitlements.filter(({ depositId, reclaimed }) => !reclaimed && !delivered.has(depositId));
}

/**
 * Output 0 of the last transaction of these kinds on the ledger, which no other of them spends: what it left at the settlement
 * address. One that was built later need not have landed later. A mint of another token than the vault's own is left out: an
 * operator decides about it.
 */
export function settlementOutput(
  { vault, transactions }: Pick<SettlementState, 'vault' | 'transactions'>,
  kinds: readonly SettlementKind[] = ['mint', 'deliver'],
): Utxo {
  const landed = transactions.filter(
    (one) => kinds.some((kind) => kind === one.kind) && isOnLedger(one.state) && !mintsAnother(one, vault.ftUnit),
  );
  const spent = new Set(landed.flatMap(({ inputs }) => inputs.map(refText)));
  const output = landed.flatMap(({ outputs }) => outputs.slice(0, 1)).findLast((one) => !spent.has(refText(one)));
  if (!output) throw new Error(`the settlement of vault ${vault.id} is not on the ledger at present`);
  return output;
}

function mintsAnother({ kind, outputs }: ChainTransaction, ftUnit: string | null): boolean {
  return kind === 'mint' && ftUnit !== null && !outputs[0]?.assets.has(ftUnit);
}

/** Before T a transaction of the settlement expires with T at the latest (design D13c); after T nothing limits it. */
export function settlementTtlSlot({ settlesBy }: Vault, anchor: SlotAnchor, now: Instant): number {
  const ttlSlot = platformTtlSlot(anchor, now, now < settlesBy ? settlesBy : null);
  if (ttlSlot === null) throw new Error('another transaction cannot land before T any more; it is built after T');
  return ttlSlot;
}
