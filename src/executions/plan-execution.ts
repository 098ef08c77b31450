import { type ActingWallet, requirePlatform } from '../access/acting-wallet.ts';
import type { Caller } from '../access/rules.ts';
import { reserveNft } from '../assets/add-assets.ts';
import { type Asset, lockAssetRows } from '../assets/queries/assets.ts';
import { assetsOfProposal } from '../assets/queries/listed-assets.ts';
import { type AssetClass, unitOf } from '../assets/rules/asset.ts';
import type { Payer } from '../cardano/build/funding.ts';
import type { NetworkState } from '../cardano/ledger/network-state.ts';
import { parseWalletAddress, type WalletAddress, paymentKeyHashOf } from '../cardano/scripts/address.ts';
import type { Utxo } from '../cardano/transaction.ts';
import type { ServiceContext } from '../context.ts';
import { publish } from '../events/publish.ts';
import type { SentAction, NewExecution } from './queries.ts';
import type { Cosigner, Signer } from './rules/cosigners.ts';
import { effectRules, type EvaluatedRequest } from './rules/effects.ts';
import { type BoughtAsset, requirePartnerMayTry, mayExecute } from './rules/execution.ts';
import {
  assetClassOf,
  boughtAsset,
  isPriceCompared,
  isSaleAtVotedPrice,
  purchaseValue,
  saleValue,
  adminPricesOf,
} from './rules/market-value.ts';
import type { Db, Transaction } from '../platform/database/database.ts';
import { lockExclusive, lockShared } from '../platform/database/locks.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { ServiceError } from '../platform/errors.ts';
import type { Lovelace, BaseUnits } from '../platform/units/money.ts';
import type { Instant } from '../platform/units/time.ts';
import { findPrice } from '../prices/fresh-price.ts';
import { vaultPrices } from '../prices/queries/prices.ts';
import { requireFresh, type Price, isStale } from '../prices/rules.ts';
import { stakingAddressesOf } from '../proposals/queries/anchored-actions.ts';
import { failedExecutionsWith } from '../proposals/queries/proposal-executions.ts';
import type { Proposal } from '../proposals/queries/proposals.ts';
import { type ProposalWithVault, requireReadableProposal } from '../proposals/read-proposals.ts';
import { type GovernedVault, requireAction } from '../proposals/rules/allowed-actions.ts';
import { type ProposalEffect, type RequestedEffect, resolveExecutionEffect } from '../proposals/rules/effects.ts';
import { vaultSpendableUtxos } from '../settlement/queries/outputs.ts';
import { governingSupplyOf } from '../staking/queries/vault-stakes.ts';
import type { Vault } from '../vaults/queries/vaults.ts';
import { requireLockedVault } from '../vaults/require-vault.ts';
import { stakedPower } from '../votes/queries/voting-powers.ts';
import { proposalSnapshot, voteSummary } from '../votes/read-votes.ts';

/** What an execution will do. */
export interface ExecutionPlan {
  /** With no term left open. */
  readonly effect: ProposalEffect;
  readonly assets: readonly Asset[];
  /** Buyer, seller or holder; null when there is none. */
  readonly partner: string | null;
  /** Of a BUY. */
  readonly bought: BoughtAsset | null;
}

/** Decides every term that the vote left open, and locks the assets. Throws what the effect throws, and PRICE_UNAVAILABLE. */
export async function planExecution(
  context: TransactionContext,
  settings: ServiceContext,
  { params, executor }: ExecutionInput,
  { proposal, vault }: ExecutableProposal,
  { prices }: ExecutionPrefetch,
): Promise<ExecutionPlan> {
  const { effect: approved } = proposal;
  const requested = await requestedEffect(context.tx, proposal, params);
  const rules = effectRules[approved.type];
  const assets = await lockAssetRows(context.tx, approved.assetIds);
  const request = { approved, requested, executor: executor.address };
  const bought = approved.type === 'BUY' ? boughtAsset(approved, prices) : null;
  if (bought?.type === 'NFT' && approved.type === 'BUY')
    await reserveNft(context, assetClassOf(approved), executor.address);
  const valuation = await marketValue(context, settings, { approved, assets, vault, bought }, prices);
  const executing = { ...vault, stakingAddresses: stakingAddressesOf(vault) };
  const effect = rules.plan({ ...request, assets, valuation, vault: executing, bought });
  return { effect, assets, partner: rules.partner(request), bought };
}

/** What a request to execute a proposal names. */
export interface ExecutionParams {
  /** The named wallets, as text. */
  readonly cosigners: readonly string[];
  /** How many of them have to sign; undefined for as many as the proposal requires. */
  readonly requiredCosigners: number | undefined;
  /** The action exactly as it was sent. */
  readonly action: SentAction;
  readonly effect: RequestedEffect;
}

/** A request to freeze or submit the execution of a proposal. */
export interface ExecutionInput {
  readonly proposalId: string;
  readonly params: ExecutionParams;
  readonly executor: ActingWallet;
  readonly caller: Caller;
  readonly correlationId: string;
}

interface PricedRequest extends Pick<EvaluatedRequest, 'approved' | 'bought'> {
  readonly assets: readonly Asset[];
  readonly vault: Vault;
}

/**
 * The lovelace that a price is compared with (`isPriceCompared`): `purchaseValue` of a bought asset, `saleValue` of sold
 * assets. Null when it is compared with none. Throws PRICE_UNAVAILABLE, for an old price too.
 */
export async function marketValue(
  { tx, now }: TransactionContext,
  { durationBounds }: ServiceContext,
  { approved, assets, vault, bought }: PricedRequest,
  prices: ExecutionPrefetch['prices'],
): Promise<Lovelace | null> {
  if (!isPriceCompared(approved, vault)) return null;
  for (const price of prices.values()) requireFresh(price, now, durationBounds.tradePriceAge.max);
  if (approved.type === 'BUY') return bought && purchaseValue(approved, bought);
  const shown = await vaultPrices(tx, [vault.id]);
  return saleValue(assets, vault.terms, { market: prices, shown, isFixed: isSaleAtVotedPrice(approved) });
}

/** What an execution is built from, read before the unit of work. */
export interface ExecutionPrefetch {
  readonly chain: NetworkState;
  /** The UTxOs in custody that the vault may spend. */
  readonly inCustody: readonly Utxo[];
  readonly partner: Payer | null;
  readonly operator: Payer | null;
  /** Prices of the asset to buy, or of assets whose price is compared with the market, by policy id + name. */
  readonly prices: ReadonlyMap<string, Price>;
}

/**
 * Reads the UTxOs of custody, partner and operator, and prices. Throws what `requireExecutable` and `requireExecutor` throw and the
 * error of an invalid field before it asks the ledger, LEDGER_UNAVAILABLE and PRICE_UNAVAILABLE.
 */
export async function prefetchExecution(context: ServiceContext, input: ExecutionInput): Promise<ExecutionPrefetch> {
  const { db, ledger, networkId } = context;
  const { proposal, vault, address } = await requireMayExecute(context, input);
  const payer = async (
    { address: at, paymentKeyHash }: WalletAddress,
    read: 'walletUtxos' | 'payingUtxos',
  ): Promise<Payer> => ({ address: at, keyHash: paymentKeyHash, utxos: await ledger[read](at) });
  const platform = effectRules[proposal.effect.type].mayNeedOperator ? await requirePlatform(db) : null;
  const [chain, inCustody, partner, paying, prices] = await Promise.all([
    context.networkState(),
    // Our transactions are recorded before they are sent, so none of our outputs on the ledger is missing here.
    ledger.custodyUtxos(vault.contractAddress).then((unspent) => vaultSpendableUtxos(db, vault.id, unspent)),
    address === null ? null : payer(parseWalletAddress(address, networkId, 'action.details'), 'walletUtxos'),
    platform && payer({ address: platform.operatorAddress, paymentKeyHash: platform.operatorKeyHash }, 'payingUtxos'),
    pricesOf(context, proposal, vault),
  ]);
  // A frozen execution holds what pays for it until its phase ends, and whoever governs a vault can freeze many.
  const operator = paying && { ...paying, paysWithSmallest: true };
  return { chain, inCustody, partner, operator, prices };
}

/**
 * Reads the prices that a frozen execution is compared with when it is submitted; none where its price is compared with none. Throws
 * what `requireExecutable` and `requireExecutor` throw before it asks for a price, and PRICE_UNAVAILABLE.
 */
export async function prefetchPrices(
  context: ServiceContext,
  input: ExecutionInput,
): Promise<ReadonlyMap<string, Price>> {
  const { proposal, vault } = await requireMayExecute(context, input);
  return isPriceCompared(proposal.effect, vault) ? pricesOf(context, proposal, vault) : new Map();
}

/** The proposal with the wallet that signs besides the vault. */
async function requireMayExecute(
  { db, readingTime }: ServiceContext,
  { proposalId, params, executor, caller }: ExecutionInput,
): Promise<ExecutableProposal & { readonly address: string | null }> {
  const executable = await requireExecutable(db, caller, proposalId, await readingTime());
  const { proposal } = executable;
  const address = partnerOf(proposal, await requestedEffect(db, proposal, params), executor);
  await requireExecutor(db, executable, executor, address);
  return { ...executable, address };
}

/** All UTxOs that the transaction may spend. */
export function spendableUtxos({ inCustody, partner, operator }: ExecutionPrefetch): readonly Utxo[] {
  return [inCustody, partner?.utxos ?? [], operator?.utxos ?? []].flat();
}

/** The effect that a request names, with the ids of assets that the vault holds or the vote approved. */
export async function requestedEffect(
  db: Db | Transaction,
  { effect: approved, vaultId }: Proposal,
  { effect: requested }: ExecutionParams,
): Promise<ProposalEffect> {
  const assets = await assetsOfProposal(db, vaultId, approved.assetIds);
  const named = assets.map(({ assetName, ...asset }) => ({ ...asset, assetNameHex: assetName }));
  return resolveExecutionEffect(approved, requested, named);
}

/** The wallet that signs besides the vault, and pays or is paid; null when there is none. */
function partnerOf(
  { effect: approved }: Proposal,
  requested: ProposalEffect,
  { address }: WalletAddress,
): string | null {
  return effectRules[approved.type].partner({ approved, requested, executor: address });
}

/**
 * The prices of the asset to buy, or of assets to sell at a price that is compared with the market, by policy id + name;
 * without those that the market need not have.
 */
async function pricesOf(
  { db, priceSource, durationBounds, readingTime }: ServiceContext,
  proposal: Proposal,
  vault: Pick<GovernedVault, 'claimsOpen'>,
): Promise<ReadonlyMap<string, Price>> {
  const [classes, now] = [await pricedClasses(db, proposal, vault), await readingTime()];
  const prices = [...classes].map(async ([unit, { asset, mayLackMarket }]) => {
    if (!mayLackMarket) return [[unit, await priceSource.priceOf(asset)] as const];
    const price = await findPrice(priceSource, asset);
    return price === null || isStale(price, now, durationBounds.tradePriceAge.max) ? [] : [[unit, price] as const];
  });
  return new Map((await Promise.all(prices)).flat());
}

interface PricedClass {
  readonly asset: AssetClass;
  /** Whether the price of the admin decides where the market says nothing: the vote has fixed the price of the sale. */
  readonly mayLackMarket: boolean;
}

async function pricedClasses(
  db: Db,
  { effect, vaultId }: Proposal,
  vault: Pick<GovernedVault, 'claimsOpen'>,
): Promise<ReadonlyMap<string, PricedClass>> {
  if (effect.type === 'BUY') {
    const asset = { policyId: effect.terms.policyId, assetName: effect.terms.assetNameHex };
    return new Map([[unitOf(asset), { asset, mayLackMarket: false }]]);
  }
  if (effect.type !== 'ASSET_SALE' || !isPriceCompared(effect, vault)) return new Map();
  const held = await assetsOfProposal(db, vaultId, effect.assetIds);
  const sold = held.filter(({ id }) => effect.assetIds.includes(id));
  const ofAdmin = effect.terms.price === null ? new Map<string, Price>() : adminPricesOf(sold);
  return new Map(sold.map((asset) => [unitOf(asset), { asset, mayLackMarket: ofAdmin.has(unitOf(asset)) }]));
}

/** A proposal that can be executed at `at`, and its vault. */
export interface ExecutableProposal extends ProposalWithVault {
  readonly at: Instant;
  /** The tokens of which the cosigning threshold is a share. */
  readonly supply: BaseUnits;
}

/**
 * Keeps a proposal in its execution phase until the unit of work ends. Throws PROPOSAL_NOT_FOUND, EXECUTION_NOT_OPEN,
 * EXECUTION_CLOSED, EXECUTION_UNDER_WAY, VAULT_ALREADY_ENDED, VAULT_NOT_LOCKED, and SERVICE_NOT_READY while no worker has
 * closed its vote. The vault keeps its custody as long. Throws CUSTODY_ROTATING while it does not.
 */
export async function lockExecutableProposal(
  { tx, now }: TransactionContext,
  caller: Caller,
  proposalId: string,
): Promise<ExecutableProposal> {
  // Who may not execute it keeps no vote waiting.
  const { vault } = await requireExecutable(tx, caller, proposalId, now);
  await lockExclusive(tx, `proposal:${proposalId}`);
  await lockShared(tx, `custody:${vault.id}`);
  return requireExecutable(tx, caller, proposalId, now);
}

/** As `lockExecutableProposal`, without keeping the proposal in its phase. */
async function requireExecutable(
  db: Db | Transaction,
  caller: Caller,
  proposalId: string,
  now: Instant,
): Promise<ExecutableProposal> {
  const { proposal, vault } = await requireReadableProposal(db, caller, proposalId);
  requireAction('execute', proposalSnapshot(proposal, await voteSummary(db, proposal)), now);
  requireLockedVault(vault);
  if (vault.isRotating) throw new ServiceError('CUSTODY_ROTATING');
  return { proposal, vault, at: now, supply: await governingSupplyOf(db, vault) };
}

/** Throws EXECUTOR_NOT_ELIGIBLE for a wallet that has no part in the proposal; `partner` is the buyer or seller. */
export async function requireExecutor(
  tx: Db | Transaction,
  executable: ExecutableProposal,
  executor: WalletAddress,
  partner: string | null,
): Promise<void> {
  const signer = { wallet: executor.address, keyHash: executor.paymentKeyHash };
  if (mayExecute(await cosignerOf(tx, executable, signer), executable, partner)) return;
  throw new ServiceError('EXECUTOR_NOT_ELIGIBLE', { wallet: executor.address });
}

/** Throws PARTNER_REFUSED for a buyer or seller whom the vote did not name after too many failed executions with the same key. */
export async function requirePartner(
  tx: Transaction,
  { proposal: { id, effect } }: ExecutableProposal,
  wallet: string | null,
): Promise<void> {
  if (wallet === null) return;
  const failed = await failedExecutionsWith(tx, [id], paymentKeyHashOf(wallet));
  requirePartnerMayTry(effect, { wallet, failures: failed.get(id) ?? 0 });
}

/** A wallet with the power it has staked in the vault. */
export async function cosignerOf(
  tx: Db | Transaction,
  { vault: { id }, at }: ExecutableProposal,
  { wallet, keyHash }: Signer,
): Promise<Cosigner> {
  return { wallet, keyHash, power: await stakedPower(tx, id, wallet, at) };
}

/** What the event and the audit entry are about. */
interface PublishedExecution {
  readonly event: 'EXECUTION_FROZEN' | 'EXECUTION_SENT';
  readonly action: 'EXECUTION_FROZEN' | 'PROPOSAL_EXECUTED';
  readonly execution: NewExecution;
  readonly transactionHash: string;
}

/** Publishes that an execution was frozen or submitted, as an event and in the audit log. */
export async function publishExecution(
  context: TransactionContext,
  { executor, caller, correlationId }: ExecutionInput,
  { event: type, action, execution, transactionHash }: PublishedExecution,
): Promise<void> {
  const { id, proposalId, vaultId, effect, cosigners } = execution;
  const data = { proposalId, executionId: id, type: effect.type, cosigners: cosigners.map(({ wallet }) => wallet) };
  const { address: actor, onBehalfOf } = executor;
  const resource = { type: 'proposal', id: proposalId } as const;
  await publish(context, {
    event: { type, vaultId, actor, wallets: concernedWallets(execution), transactionHash, correlationId, data },
    audit: { action, resource, caller, onBehalfOf, metadata: { transactionHash } },
  });
}

/** The wallets that have a part in an execution: who froze it, its cosigners, and its partner. */
export function concernedWallets({
  frozenBy,
  cosigners,
  partner,
}: Pick<NewExecution, 'frozenBy' | 'cosigners' | 'partner'>): string[] {
  const signers = [...cosigners, ...(partner ? [partner] : [])].map(({ wallet }) => wallet);
  return [...new Set([frozenBy, ...signers])];
}
