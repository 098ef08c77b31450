import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { vaultAssets } from '../../assets/queries/listed-assets.ts';
import { assetStatuses } from '../../assets/rules/asset.ts';
import { blake2b256 } from '../../cardano/blake2b.ts';
import { paymentKeyHashOf } from '../../cardano/scripts/address.ts';
import { depositAddressOf } from '../../cardano/scripts/script-addresses.ts';
import type { KeyHash } from '../../cardano/transaction.ts';
import { reclaimedInvestments } from '../../investments/queries/quotes.ts';
import { outputsMissing } from '../../ledger-follower/record-blocks.ts';
import { evictOldest, mapInBatches } from '../../platform/async.ts';
import { ServiceError } from '../../platform/errors.ts';
import { runInSlices } from '../../platform/states.ts';
import { type DepositedAsset, readSealed, withDeposits } from '../../prices/fresh-price.ts';
import { customPriceOf } from '../../prices/rules.ts';
import { owedDeliveries, plannedShares } from '../../settlement/queries/payments.ts';
import type { PlannedShare } from '../../settlement/rules/deposits.ts';
import { commitmentSteps, type SettlementPlan } from '../../settlement/rules/plan-commitment.ts';
import { requireCommittedPlan } from '../mint.ts';
import { keyWitnessesOf, readUntrusted } from '../decoder.ts';
import type { CommittedPlan, PlannedDeposit, PlannedDeposits, CountedPrices, OfVault } from '../evidence.ts';
import { type Gather, type EvidenceContext, type SettledVault, type VaultEvidence, gatherVault } from './vault.ts';
import { confirmedMint, committedTermsOf, type MintContext } from './confirmed-mint.ts';
import { gatherSettledVault } from './settled-vault.ts';
import { assertAllowed } from '../policy.ts';
import type { ChainTransaction } from '../../transactions/queries/transactions.ts';
import { refText } from '../../transactions/rules.ts';
import { paidAddresses, spentOutputs } from '../../transactions/spent-outputs.ts';
import { type Vault, assignedKeys } from '../../vaults/queries/vaults.ts';

export const gatherDelivery: Gather<'deliver'> = async (context, recorded) => {
  const settled = await gatherSettledVault(context, recorded);
  const { vault, ftUnit } = settled;
  const [owed, plan] = await Promise.all([owedDeliveries(context.db, recorded.id), committedPlan(context, settled)]);
  return { vault, ftUnit, owed, plan };
};

/** The float is what the bytes of the mint on the ledger say. */
export const gatherLiquidity: Gather<'liquidity'> = async (context, recorded) => {
  const settled = await gatherSettledVault(context, recorded);
  const { vault, ftUnit } = settled;
  const { outputs } = await confirmedMint(context, settled);
  const minted = outputs.find(({ address, assets }) => address === vault.settlement && assets.has(ftUnit));
  assertAllowed(minted !== undefined, 'its vault has no mint');
  return { vault, ftUnit, liquidityAddress: context.liquidityAddress ?? vault.liquidity, float: minted.lovelace };
};

/** The plan of a settlement as it is stored, without what a revision changed. */
async function storedPlan({ db }: Pick<EvidenceContext, 'db'>, { id, terms }: Vault): Promise<SettlementPlan> {
  return { terms: committedTermsOf(terms), shares: await plannedShares(db, id) };
}

/** Plans of 20,000 deposits take some 10 MB each. */
const MAX_REMEMBERED = 4;

const READ_AT_ONCE = 10;

/** What was found of the deposits in a vault's plan, by the vault: one activity may not have the time to find all. */
const remembered = new Map<string, Map<string, PlannedDeposit>>();

/**
 * The plan of a settlement that is to be minted, and its deposits. Throws LEDGER_UNAVAILABLE while one of them does not lie unspent at its
 * address: only the vault's key can move it before T.
 */
export async function plannedDeposits(
  context: EvidenceContext,
  { row, vault }: VaultEvidence,
): Promise<PlannedDeposits> {
  const plan = await storedPlan(context, row);
  const held = remembered.get(row.id) ?? new Map<string, PlannedDeposit>();
  remembered.set(row.id, held);
  evictOldest(remembered, MAX_REMEMBERED);
  const unseen = plan.shares.filter(({ deposit }) => !held.has(refText(deposit)));
  const byOwner = [...Map.groupBy(unseen, ({ owner }) => owner)];
  await mapInBatches(byOwner, READ_AT_ONCE, async ([owner, theirs]) => {
    const { address } = depositAddressOf(vault, paymentKeyHashOf(owner), context.networkId);
    const outputs = new Map((await context.ledger.utxos(address)).map((output) => [refText(output), output]));
    const deposits = theirs.map(({ deposit }) => deposit);
    const paid = paidAddresses(await spentOutputs(context, deposits));
    for (const deposit of deposits) {
      const output = outputs.get(refText(deposit));
      if (!output) throw outputsMissing(address, [deposit]);
      held.set(refText(deposit), { ...output, paid: paid.get(deposit.txHash) ?? [] });
    }
  });
  return { plan, held };
}

type Verified = Omit<CommittedPlan, 'kept'>;

/** Plans that were found under a root, by that root: their bytes never change. */
const verified = new Map<string, Verified>();

/** The plan that the mint of a vault's token has committed to. */
export async function committedPlan(context: MintContext, settled: SettledVault): Promise<CommittedPlan> {
  const committed = requireCommittedPlan(await confirmedMint(context, settled));
  const plan = await planUnder(context, settled.row, committed);
  return { ...plan, kept: plan.invested - (await reclaimedInvestments(context.db, settled.row.id)) };
}

async function planUnder(
  context: MintContext,
  row: Vault,
  { root }: ReturnType<typeof requireCommittedPlan>,
): Promise<Verified> {
  const key = String(root);
  const known = verified.get(key);
  if (known) return known;
  const stored = await storedPlan(context, row);
  const found = await runInSlices(commitmentSteps(blake2b256, stored), () => yieldToEventLoop());
  assertAllowed(found.root === root, 'the mint has committed to another plan');
  const shares = new Map(stored.shares.map((share): [string, PlannedShare] => [refText(share.deposit), share]));
  const sumOf = (amount: 'invested' | 'value') => stored.shares.reduce((sum, share) => sum + share[amount], 0n);
  const plan = { terms: stored.terms, shares, invested: sumOf('invested'), value: sumOf('value') };
  verified.set(key, plan);
  evictOldest(verified, MAX_REMEMBERED);
  return plan;
}

const ASKED_AT_ONCE = 50;

/**
 * The prices with which the contributions in a plan count: those that the worker has sealed when it decided them. Of others, whose seal
 * somebody may have removed, the admin's price, or what the market says now.
 */
export async function countedPrices(
  context: Pick<EvidenceContext, 'db' | 'keys' | 'priceSource'>,
  { id, terms }: Pick<Vault, 'id' | 'terms'>,
  plan: SettlementPlan,
): Promise<CountedPrices> {
  const planned = new Set(plan.shares.map(({ deposit }) => refText(deposit)));
  const assets = await withDeposits(context.db, await vaultAssets(context.db, id, assetStatuses));
  const counted = assets.filter(({ deposit }) => planned.has(deposit));
  const prices = await mapInBatches(counted, ASKED_AT_ONCE, async (asset) => {
    const price = await countedPrice(context, terms, asset);
    const { id: assetId, addedAt, lockedAt } = asset;
    return [asset.deposit, { ...price, depositOrder: { id: assetId, addedAt, lockedAt } }] as const;
  });
  const { floorPricePercentage, maxShare } = terms;
  return { prices: new Map(prices), floorPricePercentage, maxShare };
}

async function countedPrice(
  { keys, priceSource }: Pick<EvidenceContext, 'keys' | 'priceSource'>,
  terms: Vault['terms'],
  asset: DepositedAsset,
) {
  const sealed = readSealed(keys, 'counted', asset) ?? customPriceOf(terms, asset);
  return sealed ? { price: sealed, isSealed: true } : { price: await priceSource.priceOf(asset), isSealed: false };
}

/** Deposits and their returns are evaluated by the scripts on the ledger alone. */
export async function gatherVaultAddresses(context: EvidenceContext, recorded: ChainTransaction): Promise<OfVault> {
  const { vault } = await gatherVault(context, recorded);
  return { vault };
}

/** As `gatherPlaces`. No row says whether the operator deposits. */
export const gatherDeposit: Gather<'add_asset'> = async (context, recorded) => {
  return { ...(await gatherVaultAddresses(context, recorded)), mayDeposit: context.operatorDeposits };
};

/** The ledger says who has signed what strangers sent. Bytes that it does not have, or has of another transaction, are asked for again. */
export const gatherUnsolicited: Gather<'return_unsolicited'> = async (context, recorded) => {
  const { row, vault, keyHashes } = await gatherVault(context, recorded);
  const foreign = new Set<string>();
  for (const input of recorded.inputs) {
    const bytes = await context.ledger.transactionCbor(input.txHash);
    const made = readUntrusted(bytes, keyWitnessesOf);
    if (bytes === null || (made && made.hash !== input.txHash))
      throw new ServiceError('LEDGER_UNAVAILABLE', { reason: `the bytes of transaction ${input.txHash} are missing` });
    if (made && (await isForeign(context, { vaultId: row.id, keyHashes }, made.signers))) foreign.add(refText(input));
  }
  return { vault, foreign };
};

/**
 * Whether a transaction with these signatures is none of the vault's. The operator signs for all vaults: what it has signed is foreign only
 * if the key that spends for another vault has signed it too. A key never changes its vault in Postgres, and is derived again here.
 */
async function isForeign(
  { db, keys }: EvidenceContext,
  { vaultId, keyHashes }: { readonly vaultId: string; readonly keyHashes: readonly KeyHash[] },
  signers: readonly KeyHash[],
): Promise<boolean> {
  const assigned = await assignedKeys(db, signers);
  // A row could leave out a key that the vault had before a rotation.
  if (signers.some((key) => keyHashes.includes(key)) || assigned.some((key) => key.vaultId === vaultId)) return false;
  const ofOthers = assigned.some(({ index }) => signers.includes(keys.vaultKey(index).keyHash));
  return ofOthers || !signers.includes(keys.operator.keyHash);
}
