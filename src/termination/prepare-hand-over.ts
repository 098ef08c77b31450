import { buildAssetHandOver } from '../cardano/build/asset-hand-over.ts';
import { selectUtxos } from '../cardano/build/coin-selection.ts';
import { type AssetQuantity, unitsOf } from '../cardano/build/custody-holding.ts';
import { sumHoldings } from '../cardano/build/values.ts';
import { claimsAddressOf } from '../cardano/scripts/script-addresses.ts';
import type { Utxo } from '../cardano/transaction.ts';
import { unitOf } from '../assets/rules/asset.ts';
import type { HandedAsset } from './rules/handed-assets.ts';
import type { Asset } from '../assets/queries/assets.ts';
import { vaultSpendableUtxos } from '../settlement/queries/platform-outputs.ts';
import { getTermination, type Termination } from './queries/terminations.ts';
import { linkDeposits } from '../transactions/queries/transaction-deposits.ts';
import { excludeLeased } from '../transactions/queries/utxo-leases.ts';
import { vaultAssets } from '../assets/queries/vault-assets.ts';
import { isAnySent } from '../transactions/queries/vault-transactions.ts';
import type { Vault } from '../vaults/queries/vaults.ts';
import type { Prepared } from '../platform/temporal/activity-types.ts';
import { heldAt } from '../ledger-follower/held-at.ts';
import { custodyOf } from './custody-of.ts';
import { prepareEndingStep, type TerminationContext, type VaultMoment } from './termination-transactions.ts';

/** Assets of one transaction: their names take most of its size. */
const BATCH = 30;

type LedgerContext = Pick<TerminationContext, 'db' | 'ledger' | 'networkId'>;
type Handed = Asset & Pick<HandedAsset, 'address'>;

/**
 * The assets in custody that go to a wallet: those that the decision names, and all others to the wallet for what is left once the
 * claims are over. One that is staked elsewhere cannot move, and one that custody does not hold keeps no other waiting. Throws
 * LEDGER_UNAVAILABLE.
 */
export async function assetsToHand(context: LedgerContext, vault: Vault, termination: Termination): Promise<Handed[]> {
  const wanted = await assetsWithRecipient(context, vault, termination);
  return wanted.length === 0 ? [] : heldAmong(wanted, await outputsInCustody(context, vault));
}

async function assetsWithRecipient(
  { db }: Pick<TerminationContext, 'db'>,
  { id }: Vault,
  { handedAssets, remainingAssetsTo, endedBecause }: Termination,
): Promise<Handed[]> {
  const named = new Map(handedAssets.map(({ assetId, address }) => [assetId, address]));
  const others = endedBecause === null ? null : remainingAssetsTo;
  const assets = await vaultAssets(db, id, ['LOCKED']);
  return assets.flatMap((asset) => {
    const address = named.get(asset.id) ?? others;
    return address === null || asset.stakingAddress !== null ? [] : [{ ...asset, address }];
  });
}

/** Prepares the next transaction that hands assets over; null when there is none, or others hold the assets. Throws LEDGER_UNAVAILABLE. */
export function prepareHandOver(context: TerminationContext, moment: VaultMoment): Promise<Prepared | null> {
  return prepareEndingStep(context, moment, 'hand_over', async (vault) => {
    const termination = await getTermination(context.db, vault.id);
    const free = await excludeLeased(context.db, await outputsInCustody(context, vault));
    const assets = heldAmong(await assetsWithRecipient(context, vault, termination), free).slice(0, BATCH);
    if (assets.length === 0) return null;
    const utxos = selectUtxos(free, unitsOf(assets));
    const custody = custodyOf(vault);
    // A rollback of the last claim would leave tokens that nobody has returned.
    const isOwed = isPotOwed(termination) || (await isAnySent(context.db, vault.id, ['claim']));
    const claimsAddress = isOwed ? claimsAddressOf(vault, context.networkId).address : null;
    return {
      build: (chain, operator, ttlSlot) =>
        buildAssetHandOver(chain, { custody, utxos, assets, claimsAddress, operator, ttlSlot }),
      cosigners: vault.cosigners,
      insertRows: (tx, transactionId) => linkDeposits(tx, transactionId, assets.map(linked)),
    };
  });
}

/** Whether somebody can still get what goes into the pot: without tokens nobody could, unless a wallet is named for what is left. */
export function isPotOwed({
  claimsOpenedAt,
  pot,
  unclaimedLovelaceTo,
}: Pick<Termination, 'claimsOpenedAt' | 'pot' | 'unclaimedLovelaceTo'>): boolean {
  return claimsOpenedAt === null || pot.circulating > 0n || unclaimedLovelaceTo !== null;
}

async function outputsInCustody(context: LedgerContext, vault: Vault) {
  return vaultSpendableUtxos(context.db, vault.id, await heldAt(context, vault.id, vault.contractAddress));
}

/** Those of the assets that the outputs hold together. */
export function heldAmong<Held extends AssetQuantity>(assets: readonly Held[], outputs: readonly Utxo[]): Held[] {
  const left = new Map(sumHoldings(outputs).assets);
  return assets.filter((asset) => {
    const rest = (left.get(unitOf(asset)) ?? 0n) - asset.quantity;
    if (rest >= 0n) left.set(unitOf(asset), rest);
    return rest >= 0n;
  });
}

function linked({ id, address }: Handed) {
  return { depositId: id, depositKind: 'asset', payment: { address } } as const;
}
