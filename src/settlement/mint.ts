import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { blake2b256 } from '../cardano/blake2b.ts';
import { buildFtMint, type FtMint, buildLiquidityPayout } from '../cardano/build/settlement.ts';
import { platformTtlSlot } from '../cardano/ledger/http.ts';
import type { SlotAnchor } from '../cardano/ledger/slots.ts';
import { scriptHash } from '../cardano/scripts/native-script.ts';
import { liquidityAddressOf } from '../cardano/scripts/script-addresses.ts';
import { policyScript, settlementScript } from '../cardano/scripts/vault-scripts.ts';
import { ftUnit, tokenNameHex } from '../cardano/tokens/fractional-token.ts';
import type { TokenMetadata } from '../cardano/tokens/picture.ts';
import type { Utxo } from '../cardano/transaction.ts';
import { reclaimedShares } from '../investments/queries/quotes.ts';
import { buildWithOperatorFunds } from '../operations/operator-funds.ts';
import type { Db } from '../platform/database/database.ts';
import { runInSlices } from '../platform/states.ts';
import type { Prepared } from '../platform/temporal/activity-types.ts';
import type { Instant } from '../platform/units/time.ts';
import type { Lovelace } from '../platform/units/money.ts';
import { ftDescription } from './plan-settlement.ts';
import { lastSettlementOutput } from './queries/outputs.ts';
import { plannedShares, isAnyUnpaid } from './queries/payments.ts';
import { findPlan } from './queries/settlements.ts';
import { commitmentSteps, type PlanCommitment } from './rules/plan-commitment.ts';
import { undoRolledBackReclaims } from './reclaims.ts';
import { liveTransaction, recordPlatformTransaction } from '../transactions/platform-transactions.ts';
import { vaultTransactions } from '../transactions/queries/listed-transactions.ts';
import { isOnLedger } from '../transactions/rules.ts';
import { setFtUnit } from '../vaults/queries/vault-changes.ts';
import { getVault, lockVaultRow, type Vault } from '../vaults/queries/vaults.ts';
import { requireFtUnit } from '../vaults/require-vault.ts';
import type { WorkerContext } from '../worker-context.ts';

/** Nobody can mint again when this time is over; a mint that has not been confirmed by then is built again (design D43). */
const MINT_LIFETIME_SECONDS = 20 * 60;

/**
 * Builds and records the mint of a vault's fractional tokens (design D13c) under a policy that ends with it, which makes a new
 * token of one that is built again. Null when it could not be confirmed before T.
 */
export async function prepareMint(
  context: WorkerContext,
  { vaultId, now }: { readonly vaultId: string; readonly now: Instant },
): Promise<Prepared | null> {
  const live = await liveTransaction(context, vaultId, 'mint');
  if (live) return { transactionId: live.id };
  const vault = await getVault(context.db, vaultId);
  if (now >= vault.settlesBy) return null;
  const chain = await context.networkState();
  const lifetime = { seconds: MINT_LIFETIME_SECONDS };
  const latest = platformTtlSlot(chain.anchor, now, vault.settlesBy, lifetime);
  if (latest === null) return null;
  const ttlSlot = Math.min(latest, vault.settlesBySlot);
  const mint = { ...mintOf(vault, context.tokenMetadata, ttlSlot), plan: await planOf(context.db, vault) };
  const replaced = await vaultTransactions(context.db, vaultId, ['mint']);
  const built = await buildWithOperatorFunds(context, 'mint', replaced, (operator) =>
    buildFtMint(chain, { ...mint, operator }),
  );
  const unit = ftUnit(scriptHash(mint.policy), mint.ft.nameHex);
  const record = { kind: 'mint', vault, built, anchor: chain.anchor, now } as const;
  return recordPlatformTransaction(context, record, async (tx) => {
    await lockVaultRow(tx, vaultId);
    const confirmed = (await vaultTransactions(tx, vaultId, ['mint'])).find(({ state }) => isOnLedger(state));
    if (confirmed) throw new Error(`mint ${confirmed.hash} has landed meanwhile: nothing replaces it`);
    await setFtUnit(tx, vaultId, unit);
  });
}

async function planOf(db: Db, { id, terms }: Vault): Promise<PlanCommitment> {
  const plan = { terms: { ...terms, supply: terms.ftSupply }, shares: await plannedShares(db, id) };
  return runInSlices(commitmentSteps(blake2b256, plan), () => yieldToEventLoop());
}

function mintOf(vault: Vault, metadata: TokenMetadata, ttlSlot: number): Omit<FtMint, 'operator' | 'plan'> {
  const { policyKeyHash, name, terms } = vault;
  return {
    policy: policyScript({ policyKeyHash, deadlineSlot: ttlSlot }),
    policyKeyHash,
    ttlSlot,
    ft: { nameHex: tokenNameHex(name), supply: terms.ftSupply, ...ftDescription(vault, metadata) },
    settlementAddress: vault.settlementAddress,
    custodyAddress: vault.contractAddress,
  };
}

/**
 * Builds and records the last transaction of a settlement, which pays the liquidity share (design D13c); null while a
 * delivery is missing.
 */
export async function prepareLiquidity(
  context: WorkerContext,
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

/**
 * What the next transaction of a settlement spends: a delivery that leaves it may still be on its way, unless the transaction is the
 * last of all.
 */
export async function chainEnd(db: Db, vault: Vault, next: 'delivery' | 'last'): Promise<Utxo> {
  const end = await lastSettlementOutput(db, { id: vault.id, ftUnit: requireFtUnit(vault) });
  if (!end || !(end.isOnLedger || (end.kind === 'deliver' && next === 'delivery')))
    throw new Error(`the settlement of vault ${vault.id} is not on the ledger at present`);
  return end.output;
}

/** Before T a transaction of the settlement expires with T at the latest (design D13c); after T nothing limits it. */
export function settlementTtlSlot({ settlesBy }: Vault, anchor: SlotAnchor, now: Instant): number {
  const ttlSlot = platformTtlSlot(anchor, now, now < settlesBy ? settlesBy : null);
  if (ttlSlot === null) throw new Error('another transaction cannot land before T any more; it is built after T');
  return ttlSlot;
}
