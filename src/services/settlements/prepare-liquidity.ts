import { buildLiquidityPayout, type SettledShare } from '../../chain/build/liquidity-payout.ts';
import { liquidityAddressOf } from '../../chain/scripts/script-addresses.ts';
import { settlementScript } from '../../chain/scripts/vault-scripts.ts';
import type { Instant } from '../../domain/units/instant.ts';
import { lovelace } from '../../domain/units/money.ts';
import type { Entitlement } from '../../store/entitlements.ts';
import { findPlan } from '../../store/settlements.ts';
import type { Prepared } from '../../temporal/activity-types.ts';
import { latestLive, recordPlatformTransaction } from '../transactions/platform-transactions.ts';
import { requireFtUnit } from '../vaults/require-vault-state.ts';
import type { WorkerContext } from '../worker-context.ts';
import type { DepositContext } from './deposit-context.ts';
import {
  readSettlement,
  settlementOutput,
  settlementTransactions,
  settlementTtlSlot,
  undelivered,
} from './settlement-state.ts';
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
  const transactions = await settlementTransactions(context.db, vaultId);
  const live = latestLive(transactions, 'liquidity');
  if (live) return { transactionId: live.id };
  const stored = await readSettlement(context.db, vaultId, transactions);
  const settlement = await undoRolledBackReclaims(context, stored, now);
  const [plan, chain] = await Promise.all([findPlan(context.db, vaultId), context.networkState()]);
  if (!plan) throw new Error(`vault ${vaultId} has no settlement plan`);
  if (undelivered(settlement).length > 0) return null;

  const { vault, entitlements } = settlement;
  const { transaction: built } = buildLiquidityPayout(chain, {
    settlement: settlementOutput(settlement),
    float: settlementOutput(settlement, ['mint']).lovelace,
    settlementScript: settlementScript(vault),
    vaultKeyHash: vault.settlementKeyHash,
    liquidityAddress: context.liquidityAddress ?? liquidityAddressOf(vault, context.networkId).address,
    custodyAddress: vault.contractAddress,
    operatorAddress: context.keys.operator.address,
    ftUnit: requireFtUnit(vault),
    liquidity: { lovelace: (plan.revision ?? plan).lpLovelace, ft: plan.lpFt },
    kept: sumOf(entitlements.filter(({ reclaimed }) => reclaimed)),
    ttlSlot: settlementTtlSlot(vault, chain.anchor, now),
  });
  return recordPlatformTransaction(context, { kind: 'liquidity', vault, built, anchor: chain.anchor, now });
}

function sumOf(entitlements: readonly Entitlement[]): SettledShare {
  return entitlements.reduce<SettledShare>(
    (sum, { owed, ft }) => ({ lovelace: lovelace(sum.lovelace + owed), ft: sum.ft + ft }),
    { lovelace: lovelace(0n), ft: 0n },
  );
}
