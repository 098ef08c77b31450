import { readChainFacts } from '../src/chain/chain-facts.ts';
import { scriptAddress } from '../src/chain/address.ts';
import { buildDelivery, type Delivery } from '../src/chain/build-delivery.ts';
import { buildLiquidity } from '../src/chain/build-liquidity.ts';
import { buildMint } from '../src/chain/build-mint.ts';
import { liquidityScript, policyScript, settlementScript } from '../src/chain/native-scripts.ts';
import { ftBaseNameHex, tickerOf } from '../src/chain/tokens.ts';
import type { SlotAnchor } from '../src/chain/slots.ts';
import type { Utxo } from '../src/chain/transaction.ts';
import type { Instant } from '../src/domain/instant.ts';
import { type Lovelace, lovelace } from '../src/domain/money.ts';
import { isOnLedger } from '../src/domain/transaction-state.ts';
import { vaultAssets } from '../src/store/assets.ts';
import { vaultTransactions } from '../src/store/chain-transactions.ts';
import { vaultInvestments } from '../src/store/investments.ts';
import { depositsTaken, type Entitlement, entitlementsOf, findPlan, tieDeposits } from '../src/store/settlements.ts';
import { getVault, type Vault } from '../src/store/vaults.ts';
import type { PreparationActivities } from '../src/temporal/activities.ts';
import { depositOf } from './deposits.ts';
import type { WorkerDeps } from './deps.ts';
import { operatorFunds } from './operator-funds.ts';
import { liveTransaction, recordOwn, ttlSlotAt } from './preparation.ts';

/** More deposits than ever fit into one transaction; the builder takes what does. */
const MOST_DEPOSITS = 80;

type Deps = Pick<WorkerDeps, 'db' | 'unitOfWork' | 'ids' | 'ledger' | 'networkId' | 'liquidityAddress' | 'keys'>;
type SettlementActivities = Pick<PreparationActivities, 'prepareMint' | 'prepareDelivery' | 'prepareLiquidity'>;

/** Builds the transactions of a settlement, each spending the one before (design D13c). */
export function createSettlementActivities(deps: Deps): SettlementActivities {
  const { db } = deps;
  return {
    async prepareMint({ vaultId, now }) {
      const live = await liveTransaction(deps, vaultId, 'mint');
      if (live) return { transactionId: live.id };
      const [vault, chain] = await Promise.all([getVault(db, vaultId), readChainFacts(deps)]);
      const ttlSlot = ttlSlotAt(chain.anchor, now, vault.settlesBy);
      if (ttlSlot === null) return null;

      const built = buildMint(chain, {
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
      return recordOwn(deps, { kind: 'mint', vault, built, anchor: chain.anchor, now });
    },

    async prepareDelivery({ vaultId, now }) {
      const live = await liveTransaction(deps, vaultId, 'deliver');
      if (live && !isOnLedger(live.state)) return { transactionId: live.id };
      const open = await undelivered(deps, vaultId);
      if (open.length === 0 || !(await liveTransaction(deps, vaultId, 'mint'))) return null;

      const [vault, chain] = await Promise.all([getVault(db, vaultId), readChainFacts(deps)]);
      const entitlements = open.slice(0, MOST_DEPOSITS);
      const built = buildDelivery(chain, {
        settlement: await settlementUtxo(deps, vaultId),
        settlementScript: settlementScript(vault),
        vaultKeyHash: vault.vaultKeyHash,
        custodyAddress: vault.contractAddress,
        ftUnit: vault.ftUnit,
        deliveries: await deliveriesOf(deps, vault, entitlements),
        ttlSlot: ttlWithin(vault, chain.anchor, now),
      });
      const deposits = entitlements.slice(0, built.taken).map(({ depositId, depositKind }, position) => ({
        depositId,
        depositKind,
        payment: { ...built.payments[position] },
      }));
      const record = { kind: 'deliver', vault, built: built.transaction, anchor: chain.anchor, now } as const;
      return recordOwn(deps, record, (tx, transactionId) => tieDeposits(tx, transactionId, deposits));
    },

    async prepareLiquidity({ vaultId, now }) {
      const live = await liveTransaction(deps, vaultId, 'liquidity');
      if (live) return { transactionId: live.id };
      const [vault, plan, chain] = await Promise.all([
        getVault(db, vaultId),
        findPlan(db, vaultId),
        readChainFacts(deps),
      ]);
      if (!plan) throw new Error(`vault ${vaultId} has no settlement plan`);
      if ((await undelivered(deps, vaultId)).length > 0) return null;
      const { transaction: built } = buildLiquidity(chain, {
        settlement: await settlementUtxo(deps, vaultId),
        settlementScript: settlementScript(vault),
        vaultKeyHash: vault.vaultKeyHash,
        liquidityAddress: deps.liquidityAddress ?? scriptAddress(liquidityScript(vault), deps.networkId),
        operatorAddress: deps.keys.operator.address,
        ftUnit: vault.ftUnit,
        lpLovelace: plan.lpLovelace,
        lpFt: plan.lpFt,
        ttlSlot: ttlWithin(vault, chain.anchor, now),
      });
      return recordOwn(deps, { kind: 'liquidity', vault, built, anchor: chain.anchor, now });
    },
  };
}

/** What no delivery pays that has landed or still may. */
async function undelivered({ db }: Deps, vaultId: string): Promise<Entitlement[]> {
  const taken = await depositsTaken(db, vaultId, 'deliver');
  return (await entitlementsOf(db, vaultId)).filter(({ depositId }) => !taken.has(depositId));
}

/** What the mint or the last delivery left at the settlement address. */
async function settlementUtxo({ db }: Deps, vaultId: string): Promise<Utxo> {
  const transactions = await vaultTransactions(db, vaultId, ['mint', 'deliver']);
  const last = transactions.findLast(({ state }) => isOnLedger(state));
  const utxo = last?.outputs[0];
  if (!utxo) throw new Error(`the settlement of vault ${vaultId} is not on the ledger at present`);
  return utxo;
}

async function deliveriesOf(deps: Deps, vault: Vault, entitlements: readonly Entitlement[]): Promise<Delivery[]> {
  const [assets, investments] = await Promise.all([
    vaultAssets(deps.db, vault.id, ['LOCKED']),
    vaultInvestments(deps.db, vault.id, ['CONFIRMED', 'SETTLED']),
  ]);
  const invested = new Map(investments.map((investment) => [investment.id, investment]));
  const locked = new Map(assets.map((asset) => [asset.id, asset]));
  return Promise.all(
    entitlements.map(async ({ depositId, wallet, ft, lovelace: lovelaceShare }) => {
      const transactionId = invested.get(depositId)?.transactionId ?? locked.get(depositId)?.addTransactionId;
      if (transactionId === undefined) throw new Error(`deposit ${depositId} is not in vault ${vault.id}`);
      const deposit = await depositOf(deps, vault, wallet, transactionId);
      const amount: Lovelace = invested.get(depositId)?.lovelace ?? lovelace(0n);
      return { ...deposit, invested: amount, ft, lovelaceShare };
    }),
  );
}

/** Before T a transaction of the settlement ends with it (design D13c); after T there is no later instant to end with. */
function ttlWithin({ settlesBy }: Vault, anchor: SlotAnchor, now: Instant): number {
  const ttlSlot = ttlSlotAt(anchor, now, now < settlesBy ? settlesBy : null);
  if (ttlSlot === null) throw new Error('T is too near for another transaction to land before it; it is built after T');
  return ttlSlot;
}
