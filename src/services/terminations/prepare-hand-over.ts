import { buildAssetHandOver } from '../../chain/build/asset-hand-over.ts';
import { unitsOf, utxosInCustody } from '../../chain/build/custody-holding.ts';
import type { HandedAsset } from '../../domain/termination/handed-assets.ts';
import type { Asset } from '../../store/assets.ts';
import { vaultSpendableUtxos } from '../../store/platform-outputs.ts';
import { getTermination, type Termination } from '../../store/terminations.ts';
import { linkDeposits } from '../../store/transaction-deposits.ts';
import { excludeLeased } from '../../store/utxo-leases.ts';
import { vaultAssets } from '../../store/vault-assets.ts';
import type { Vault } from '../../store/vaults.ts';
import type { Prepared } from '../../temporal/activity-types.ts';
import { heldAt } from './held-at.ts';
import { custodyOf } from './custody-of.ts';
import { prepareStep, type TerminationContext, type VaultMoment } from './termination-transactions.ts';

/** Assets of one transaction: their names take most of its size. */
const BATCH = 30;

type Handed = Asset & Pick<HandedAsset, 'address'>;

/**
 * The assets in custody that go to a wallet: those that the decision names, and all others to the wallet for what is left once the
 * claims are over. One that is staked elsewhere cannot move.
 */
export async function assetsToHand(
  { db }: Pick<TerminationContext, 'db'>,
  { id }: Pick<Vault, 'id'>,
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

/** Prepares the next transaction that hands assets over; null when there is none. Throws LEDGER_UNAVAILABLE and ASSET_NO_LONGER_HELD. */
export function prepareHandOver(context: TerminationContext, moment: VaultMoment): Promise<Prepared | null> {
  return prepareStep(context, moment, 'hand_over', async (vault) => {
    const termination = await getTermination(context.db, vault.id);
    const assets = (await assetsToHand(context, vault, termination)).slice(0, BATCH);
    if (assets.length === 0) return null;
    const { db } = context;
    const inCustody = await vaultSpendableUtxos(db, await heldAt(context, vault, vault.contractAddress));
    const utxos = utxosInCustody({ inCustody, free: await excludeLeased(db, inCustody) }, unitsOf(assets));
    return {
      build: (chain, operator, ttlSlot) =>
        buildAssetHandOver(chain, { custody: custodyOf(vault), utxos, assets, operator, ttlSlot }),
      cosigners: vault.cosigners,
      insertRows: (tx, transactionId) => linkDeposits(tx, transactionId, assets.map(linked)),
    };
  });
}

function linked({ id, address }: Handed) {
  return { depositId: id, depositKind: 'asset', payment: { address } } as const;
}
