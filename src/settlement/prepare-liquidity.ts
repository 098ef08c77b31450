import { buildLiquidityPayout } from '../cardano/build/liquidity-payout.ts';
import { liquidityAddressOf } from '../cardano/scripts/script-addresses.ts';
import { settlementScript } from '../cardano/scripts/vault-scripts.ts';
import { isOnLedger } from '../transactions/rules/transaction-state.ts';
import type { Instant } from '../platform/units/instant.ts';
import type { Lovelace } from '../platform/units/money.ts';
import type { Db } from '../platform/database/database.ts';
import { isAnyUnpaid } from './queries/deposits-to-pay.ts';
import { reclaimedShares } from '../investments/queries/settlement-sums.ts';
import { findPlan } from './queries/settlements.ts';
import { vaultTransactions } from '../transactions/queries/vault-transactions.ts';
import { getVault, type Vault } from '../vaults/queries/vaults.ts';
import type { Prepared } from '../platform/temporal/activity-types.ts';
import { liveTransaction, recordPlatformTransaction } from '../transactions/platform-transactions.ts';
import { requireFtUnit } from '../vaults/require-vault-state.ts';
import type { WorkerContext } from '../worker-context.ts';
import type { DepositContext } from './deposit-context.ts';
import { chainEnd, settlementTtlSlot } from './settlement-chain.ts';
import { undoRolledBackReclaims } from './undo-rolled-back-reclaims.ts';

/** The dependencies of the last step of a settlement, which the steps before share. */
export type SettlementContext = DepositContext & Pick<WorkerContext, 'liquidityAddress' | 'keys'>;

/**
 * Builds and records the last transaction of a settlement, which pays the liquidity share (design D13c); null while a
 * delivery is missing. Throws LEDGER_UNAVAILABLE.
 */
export async function prepareLiquidity(
  context: SettlementContext,
  { vaultId, now }: { readonly vaultId: string; readonly now: Instant },
): Promise<Prepared | null> {
  const { db } = context;
  const live = await liveTransaction(context, vaultId, 'liquidity');
  if (live) return { transactionId: live.id };
  const vault = await getVault(db, vaultId);
  await undoRolledBackReclaims(context, vault, now);
  const plan = await findPlan(db, vaultId);
  if (!plan) throw new Error(`vault ${vaultId} has no settlement plan`);
  if (await isAnyUnpaid(db, vaultId)) return null;

  const chain = await context.networkState();
  const { transaction: built } = buildLiquidityPayout(chain, {
    settlement: await chainEnd(db, vault, 'last'),
    float: await floatOf(db, vault),
    settlementScript: settlementScript(vault),
    vaultKeyHash: vault.settlementKeyHash,
    liquidityAddress: context.liquidityAddress ?? liquidityAddressOf(vault, context.networkId).address,
    custodyAddress: vault.contractAddress,
    operatorAddress: context.keys.operator.address,
    ftUnit: requireFtUnit(vault),
    liquidity: { lovelace: (plan.revision ?? plan).lpLovelace, ft: plan.lpFt },
    kept: await reclaimedShares(db, vaultId),
    ttlSlot: settlementTtlSlot(vault, chain.anchor, now),
  });
  return recordPlatformTransaction(context, { kind: 'liquidity', vault, built, anchor: chain.anchor, now });
}

/** What the operator has added with the mint. */
async function floatOf(db: Db, vault: Vault): Promise<Lovelace> {
  const ftUnit = requireFtUnit(vault);
  const mints = await vaultTransactions(db, vault.id, ['mint']);
  const minted = mints.filter(({ state }) => isOnLedger(state)).flatMap(({ outputs }) => outputs.slice(0, 1));
  const output = minted.find(({ assets }) => assets.has(ftUnit));
  if (!output) throw new Error(`the mint of vault ${vault.id} is not on the ledger at present`);
  return output.lovelace;
}
