import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { buildFtMint, type FtMint } from '../cardano/build/ft-mint.ts';
import { blake2b256 } from '../cardano/blake2b.ts';
import { scriptHash } from '../cardano/scripts/native-script.ts';
import { policyScript } from '../cardano/scripts/vault-scripts.ts';
import { ftUnit, tokenNameHex } from '../cardano/tokens/fractional-token.ts';
import type { TokenLook } from '../cardano/tokens/picture.ts';
import { commitmentSteps, type PlanCommitment } from './rules/plan-commitment.ts';
import { runInSlices } from '../platform/states/steps.ts';
import { isOnLedger } from '../transactions/rules/transaction-state.ts';
import type { Instant } from '../platform/units/instant.ts';
import type { Db } from '../platform/database/database.ts';
import { plannedShares } from './queries/owed-deliveries.ts';
import { setFtUnit } from '../vaults/queries/vault-changes.ts';
import { vaultTransactions } from '../transactions/queries/vault-transactions.ts';
import { getVault, lockVaultRow, type Vault } from '../vaults/queries/vaults.ts';
import type { Prepared } from '../platform/temporal/activity-types.ts';
import { buildWithOperatorFunds } from '../operations/build-with-operator-funds.ts';
import { platformTtlSlot } from '../cardano/ledger/deadline.ts';
import {
  liveTransaction,
  recordPlatformTransaction,
  type RecordingContext,
} from '../transactions/platform-transactions.ts';
import type { WorkerContext } from '../worker-context.ts';
import { ftDescription } from './ft-description.ts';

type Context = RecordingContext & Pick<WorkerContext, 'networkState' | 'keys' | 'operatorBudget' | 'tokenLook'>;

/** Nobody can mint again when this time is over; a mint that has not landed by then is built anew (design D43). */
const MINT_LIFETIME_SECONDS = 20 * 60;

/**
 * Builds and records the mint of a vault's fractional tokens (design D13c) under a policy that ends with it, which makes a new
 * token of one that is built anew. Null when it could not land before T.
 */
export async function prepareMint(
  context: Context,
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
  const mint = { ...mintOf(vault, context.tokenLook, ttlSlot), plan: await planOf(context.db, vault) };
  const replaced = await vaultTransactions(context.db, vaultId, ['mint']);
  const built = await buildWithOperatorFunds(context, 'mint', replaced, (operator) =>
    buildFtMint(chain, { ...mint, operator }),
  );
  const unit = ftUnit(scriptHash(mint.policy), mint.ft.nameHex);
  const record = { kind: 'mint', vault, built, anchor: chain.anchor, now } as const;
  return recordPlatformTransaction(context, record, async (tx) => {
    await lockVaultRow(tx, vaultId);
    const landed = (await vaultTransactions(tx, vaultId, ['mint'])).find(({ state }) => isOnLedger(state));
    if (landed) throw new Error(`mint ${landed.hash} has landed meanwhile: nothing replaces it`);
    await setFtUnit(tx, vaultId, unit);
  });
}

async function planOf(db: Db, { id, terms }: Vault): Promise<PlanCommitment> {
  const plan = { terms: { ...terms, supply: terms.ftSupply }, shares: await plannedShares(db, id) };
  return runInSlices(commitmentSteps(blake2b256, plan), () => yieldToEventLoop());
}

function mintOf(vault: Vault, look: TokenLook, ttlSlot: number): Omit<FtMint, 'operator' | 'plan'> {
  const { policyKeyHash, name, terms } = vault;
  return {
    policy: policyScript({ policyKeyHash, deadlineSlot: ttlSlot }),
    policyKeyHash,
    ttlSlot,
    ft: { nameHex: tokenNameHex(name), supply: terms.ftSupply, ...ftDescription(vault, look) },
    settlementAddress: vault.settlementAddress,
    custodyAddress: vault.contractAddress,
  };
}
