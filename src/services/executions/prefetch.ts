import { parseWalletAddress, type WalletAddress } from '../../chain/scripts/address.ts';
import type { NetworkState } from '../../chain/ledger/network-state.ts';
import type { Payer } from '../../chain/build/funding.ts';
import type { Utxo } from '../../chain/transaction.ts';
import type { ProposalEffect } from '../../domain/proposal/effect.ts';
import type { Price } from '../../domain/asset/valuation.ts';
import { executionEffects } from './effects/effects.ts';
import { assetsOfProposal } from '../../store/vault-assets.ts';
import { vaultSpendableUtxos } from '../../store/own-outputs.ts';
import type { Db, Transaction } from '../../store/database.ts';
import type { AssetClass } from '../../store/prices.ts';
import { findProposal, type Proposal } from '../../store/proposals.ts';
import { getVault } from '../../store/vaults.ts';
import type { ServiceContext } from '../context.ts';
import { deferError } from '../defer-error.ts';
import { requirePlatform } from '../actor.ts';
import { resolveExecutionEffect } from '../../domain/proposal/execution-effect.ts';
import type { ExecutionParams } from './execution-params.ts';

/** What was fetched, before the unit of work, to build an execution. */
export interface ExecutionPrefetch {
  readonly chain: NetworkState;
  /** The vault's own part of it. */
  readonly inCustody: readonly Utxo[];
  readonly partner: Payer | null;
  readonly operator: Payer | null;
  /** Of what is bought, and of what is sold at a price that the vote left open; by policy id + name. Raises PRICE_UNAVAILABLE. */
  readonly prices: () => ReadonlyMap<string, Price>;
}

interface Wanted {
  readonly proposalId: string;
  readonly params: ExecutionParams;
  readonly executor: WalletAddress;
}

/** Reads what custody and the partner hold. Raises LEDGER_UNAVAILABLE and what a field's own code says. */
export async function prefetchExecution(context: ServiceContext, wanted: Wanted): Promise<ExecutionPrefetch> {
  const { db, ledger, networkId } = context;
  const proposal = await findProposal(db, wanted.proposalId);
  const chain = await context.networkState();
  if (!proposal) return { chain, inCustody: [], partner: null, operator: null, prices: () => new Map() };
  const vault = await getVault(db, proposal.vaultId);
  const asked = await requestedEffect(db, proposal, wanted.params);
  const address = partnerOf(proposal, asked, wanted.executor);
  const payer = async ({ address: at, paymentKeyHash }: WalletAddress): Promise<Payer> => {
    return { address: at, keyHash: paymentKeyHash, utxos: await ledger.utxos(at) };
  };
  const platform = executionEffects[asked.type].mayNeedOperator ? await requirePlatform(db) : null;
  const [inCustody, partner, operator, prices] = await Promise.all([
    // Ours are recorded before they are sent: none of what the ledger shows can be missing here.
    ledger.utxos(vault.contractAddress).then((unspent) => vaultSpendableUtxos(db, unspent)),
    address === null ? null : payer(parseWalletAddress(address, networkId, 'action.details')),
    platform && payer({ address: platform.operatorAddress, paymentKeyHash: platform.operatorKeyHash }),
    deferError(pricesOf(context, proposal)),
  ]);
  return { chain, inCustody, partner, operator, prices };
}

/** Everything that may go into the transaction. */
export function spendableUtxos({ inCustody, partner, operator }: ExecutionPrefetch): readonly Utxo[] {
  return [inCustody, partner?.utxos ?? [], operator?.utxos ?? []].flat();
}

/** The effect that a request asks for, on the assets that the vault holds or the vote approved. */
export async function requestedEffect(
  db: Db | Transaction,
  { effect: approved, vaultId }: Proposal,
  { effect: requested }: ExecutionParams,
): Promise<ProposalEffect> {
  const assets = await assetsOfProposal(db, vaultId, approved.assetIds);
  const named = assets.map(({ assetName, ...asset }) => ({ ...asset, assetNameHex: assetName }));
  return resolveExecutionEffect(approved, requested, named);
}

/** The wallet that signs and pays, or is paid, besides the vault. */
function partnerOf({ effect: approved }: Proposal, asked: ProposalEffect, { address }: WalletAddress): string | null {
  return executionEffects[approved.type].partner({ approved, requested: asked, executor: address });
}

async function pricesOf({ db, priceSource }: ServiceContext, proposal: Proposal): Promise<ReadonlyMap<string, Price>> {
  const classes = await pricedClasses(db, proposal);
  const known = new Map(classes.map((one) => [one.policyId + one.assetName, one]));
  const asked = [...known].map(async ([unit, one]) => [unit, await priceSource.priceOf(one)] as const);
  return new Map(await Promise.all(asked));
}

async function pricedClasses(db: Db, { effect, vaultId }: Proposal): Promise<readonly AssetClass[]> {
  if (effect.type === 'BUY') return [{ policyId: effect.terms.policyId, assetName: effect.terms.assetNameHex }];
  if (effect.type !== 'ASSET_SALE' || effect.terms.price !== null) return [];
  const assets = await assetsOfProposal(db, vaultId, effect.assetIds);
  return assets.filter(({ id }) => effect.assetIds.includes(id));
}
