import { scriptAddress } from '../src/chain/scripts/address.ts';
import { buildDelivery, type Delivery } from '../src/chain/build/delivery.ts';
import { buildLiquidityPayout, type SettledShare } from '../src/chain/build/liquidity-payout.ts';
import { buildFtMint } from '../src/chain/build/ft-mint.ts';
import { liquidityScript, policyScript, settlementScript } from '../src/chain/scripts/vault-scripts.ts';
import { ftBaseNameHex, tickerOf } from '../src/chain/tokens/fractional-token.ts';
import type { SlotAnchor } from '../src/chain/ledger/slots.ts';
import type { Utxo } from '../src/chain/transaction.ts';
import type { Instant } from '../src/domain/units/instant.ts';
import { lovelace } from '../src/domain/units/money.ts';
import { isOnLedger } from '../src/domain/transaction/transaction-state.ts';
import { vaultAssets } from '../src/store/vault-assets.ts';
import { vaultTransactions } from '../src/store/vault-transactions.ts';
import { vaultInvestments } from '../src/store/vault-investments.ts';
import { depositsInLiveTransactions, linkDeposits } from '../src/store/transaction-deposits.ts';
import { type Entitlement, vaultEntitlements } from '../src/store/entitlements.ts';
import { findPlan } from '../src/store/settlements.ts';
import type { DepositRef } from '../src/services/settlements/release-deposits.ts';
import { getVault, type Vault } from '../src/store/vaults.ts';
import type { PreparationActivities } from '../src/temporal/activities.ts';
import type { WorkerContext } from '../src/services/worker-context.ts';
import { operatorFunds } from './operator-funds.ts';
import { liveTransaction, recordPlatformTransaction } from '../src/services/transactions/platform-transactions.ts';
import { platformTtlSlot } from '../src/services/transactions/deadline.ts';
import { findReturned, openDeposits, stillThere } from './reclaimed.ts';

/** More deposits than ever fit into one transaction; the builder takes what does. */
const MOST_DEPOSITS = 80;

type Deps = Pick<
  WorkerContext,
  | 'db'
  | 'unitOfWork'
  | 'ids'
  | 'ledger'
  | 'networkState'
  | 'networkId'
  | 'liquidityAddress'
  | 'keys'
  | 'confirmationDepth'
>;
type SettlementActivities = Pick<PreparationActivities, 'prepareMint' | 'prepareDelivery' | 'prepareLiquidity'>;

/** Builds the transactions of a settlement, each spending the one before (design D13c). */
export function createSettlementActivities(deps: Deps): SettlementActivities {
  const { db } = deps;
  return {
    async prepareMint({ vaultId, now }) {
      const live = await liveTransaction(deps, vaultId, 'mint');
      if (live) return { transactionId: live.id };
      const [vault, chain] = await Promise.all([getVault(db, vaultId), deps.networkState()]);
      const ttlSlot = platformTtlSlot(chain.anchor, now, vault.settlesBy);
      if (ttlSlot === null) return null;

      const built = buildFtMint(chain, {
        operator: await operatorFunds(deps, await vaultTransactions(db, vaultId, ['mint'])),
        policy: policyScript({ policyKeyHash: vault.policyKeyHash, deadlineSlot: vault.settlesBySlot }),
        policyKeyHash: vault.policyKeyHash,
        ft: {
          nameHex: ftBaseNameHex(vault.ftUnit),
          supply: vault.terms.ftSupply,
          name: vault.name,
          ticker: tickerOf(vault.name),
          decimals: vault.terms.ftDecimals,
        },
        settlementAddress: vault.settlementAddress,
        custodyAddress: vault.contractAddress,
        ttlSlot: Math.min(ttlSlot, vault.settlesBySlot),
      });
      return recordPlatformTransaction(deps, { kind: 'mint', vault, built, anchor: chain.anchor, now });
    },

    async prepareDelivery({ vaultId, now }) {
      const live = await liveTransaction(deps, vaultId, 'deliver');
      if (live && !isOnLedger(live.state)) return { transactionId: live.id };
      if (!(await liveTransaction(deps, vaultId, 'mint'))) return null;
      const vault = await getVault(db, vaultId);
      await takeInReturned(deps, vault, now);
      const due = await dueNow(deps, vault, now);
      if (due.length === 0) return null;

      const chain = await deps.networkState();
      const built = buildDelivery(chain, {
        settlement: await settlementUtxo(deps, vaultId, ['mint', 'deliver']),
        settlementScript: settlementScript(vault),
        vaultKeyHash: vault.vaultKeyHash,
        custodyAddress: vault.contractAddress,
        ftUnit: vault.ftUnit,
        deliveries: due,
        ttlSlot: ttlWithin(vault, chain.anchor, now),
      });
      const deposits = due.slice(0, built.taken).map(({ depositId, depositKind }, position) => ({
        depositId,
        depositKind,
        payment: { ...built.payments[position] },
      }));
      const record = { kind: 'deliver', vault, built: built.transaction, anchor: chain.anchor, now } as const;
      return recordPlatformTransaction(deps, record, (tx, transactionId) => linkDeposits(tx, transactionId, deposits));
    },

    async prepareLiquidity({ vaultId, now }) {
      const live = await liveTransaction(deps, vaultId, 'liquidity');
      if (live) return { transactionId: live.id };
      const vault = await getVault(db, vaultId);
      await takeInReturned(deps, vault, now);
      const [plan, chain, entitlements] = await Promise.all([
        findPlan(db, vaultId),
        deps.networkState(),
        vaultEntitlements(db, vaultId),
      ]);
      if (!plan) throw new Error(`vault ${vaultId} has no settlement plan`);
      if ((await undelivered(deps, vaultId, entitlements)).length > 0) return null;
      const { transaction: built } = buildLiquidityPayout(chain, {
        settlement: await settlementUtxo(deps, vaultId, ['mint', 'deliver']),
        float: (await settlementUtxo(deps, vaultId, ['mint'])).lovelace,
        settlementScript: settlementScript(vault),
        vaultKeyHash: vault.vaultKeyHash,
        liquidityAddress: deps.liquidityAddress ?? scriptAddress(liquidityScript(vault), deps.networkId),
        custodyAddress: vault.contractAddress,
        operatorAddress: deps.keys.operator.address,
        ftUnit: vault.ftUnit,
        liquidity: { lovelace: (plan.revision ?? plan).lpLovelace, ft: plan.lpFt },
        kept: sumOf(entitlements.filter(({ reclaimed }) => reclaimed)),
        ttlSlot: ttlWithin(vault, chain.anchor, now),
      });
      return recordPlatformTransaction(deps, { kind: 'liquidity', vault, built, anchor: chain.anchor, now });
    },
  };
}

/** What no delivery pays that has landed or still may, but for what is kept. */
async function undelivered(
  { db }: Deps,
  vaultId: string,
  entitlements: readonly Entitlement[],
): Promise<Entitlement[]> {
  const taken = await depositsInLiveTransactions(db, vaultId, 'deliver');
  return entitlements.filter(({ depositId, reclaimed }) => !reclaimed && !taken.has(depositId));
}

/**
 * A reclaim that was rolled back counts no more. An investment comes back too late once contributors are paid by a revised
 * settlement: then it stays where it is, and its owner's.
 */
async function takeInReturned(deps: Deps, vault: Vault, now: Instant): Promise<void> {
  if (now < vault.settlesBy || (await liveTransaction(deps, vault.id, 'liquidity'))) return;
  const taken = await depositsInLiveTransactions(deps.db, vault.id, 'deliver');
  const paysContributors = (await vaultEntitlements(deps.db, vault.id)).some(
    ({ depositId, depositKind }) => depositKind === 'asset' && taken.has(depositId),
  );
  await findReturned(deps, vault, paysContributors ? ['asset'] : ['asset', 'investment'], now);
}

/** What the mint or the last delivery left at the settlement address. */
async function settlementUtxo({ db }: Deps, vaultId: string, kinds: readonly ('mint' | 'deliver')[]): Promise<Utxo> {
  const transactions = await vaultTransactions(db, vaultId, kinds);
  const last = transactions.findLast(({ state }) => isOnLedger(state));
  const utxo = last?.outputs[0];
  if (!utxo) throw new Error(`the settlement of vault ${vaultId} is not on the ledger at present`);
  return utxo;
}

/**
 * The next deliveries, in the order in which they are paid. Contributors come after every investor, so whoever is paid ADA is
 * paid by a settlement that knows which investments came in.
 */
async function dueNow(deps: Deps, vault: Vault, now: Instant): Promise<(Delivery & DepositRef)[]> {
  const { db } = deps;
  const [assets, investments] = await Promise.all([
    vaultAssets(db, vault.id, ['LOCKED']),
    vaultInvestments(db, vault.id, ['CONFIRMED']),
  ]);
  const deposits = new Map(openDeposits(assets, investments).map((deposit) => [deposit.depositId, deposit]));
  const open = (await undelivered(deps, vault.id, await vaultEntitlements(db, vault.id))).map(({ depositId }) => {
    const deposit = deposits.get(depositId);
    if (!deposit) throw new Error(`deposit ${depositId} is not in vault ${vault.id}`);
    return deposit;
  });
  const there = await stillThere(deps, vault, open, { now, most: MOST_DEPOSITS });

  // Read again: what was found to be reclaimed may have changed them.
  const owed = new Map(
    (await vaultEntitlements(db, vault.id)).map((entitlement) => [entitlement.depositId, entitlement]),
  );
  const invested = new Map(investments.map((investment) => [investment.id, investment.lovelace]));
  return there.map(({ deposit, depositId, depositKind }) => {
    const entitlement = owed.get(depositId);
    if (!entitlement) throw new Error(`deposit ${depositId} brings its owner nothing`);
    return {
      ...deposit,
      depositId,
      depositKind,
      invested: invested.get(depositId) ?? lovelace(0n),
      ft: entitlement.ft,
      lovelaceShare: entitlement.owed,
    };
  });
}

function sumOf(entitlements: readonly Entitlement[]): SettledShare {
  return entitlements.reduce<SettledShare>(
    (sum, { owed, ft }) => ({ lovelace: lovelace(sum.lovelace + owed), ft: sum.ft + ft }),
    { lovelace: lovelace(0n), ft: 0n },
  );
}

/** Before T a transaction of the settlement ends with it (design D13c); after T there is no later instant to end with. */
function ttlWithin({ settlesBy }: Vault, anchor: SlotAnchor, now: Instant): number {
  const ttlSlot = platformTtlSlot(anchor, now, now < settlesBy ? settlesBy : null);
  if (ttlSlot === null) throw new Error('T is too near for another transaction to land before it; it is built after T');
  return ttlSlot;
}
