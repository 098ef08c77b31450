import { parseWalletAddress, type WalletAddress } from '../cardano/scripts/address.ts';
import type { NetworkState } from '../cardano/ledger/network-state.ts';
import type { Payer } from '../cardano/build/funding.ts';
import type { Utxo } from '../cardano/transaction.ts';
import type { ProposalEffect } from '../proposals/rules/effect.ts';
import type { Price } from '../prices/rules/valuation.ts';
import { isPriceCompared } from './rules/market-value.ts';
import { effectRules } from './rules/effects/rules-by-type.ts';
import { assetsOfProposal } from '../assets/queries/vault-assets.ts';
import { vaultSpendableUtxos } from '../settlement/queries/platform-outputs.ts';
import type { Db, Transaction } from '../platform/database/database.ts';
import type { Proposal } from '../proposals/queries/proposals.ts';
import type { ServiceContext } from '../context.ts';
import { requirePlatform } from '../access/actor.ts';
import { resolveExecutionEffect } from '../proposals/rules/resolve-execution-effect.ts';
import { type ExecutableProposal, requireExecutable, requireExecutor } from './executable-proposal.ts';
import { pricesOf } from './read-prices.ts';
import type { ExecutionInput, ExecutionParams } from './execution-params.ts';

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

/** The proposal with the wallet that signs besides the vault. Throws what `requireExecutable` and `requireExecutor` throw. */
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
