import { type AssetClass, unitOf } from '../rules/asset.ts';
import type { UtxoRef } from '../../transactions/rules/utxo-ref.ts';
import { type Asset, claimedNfts } from './assets.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { closeFence } from '../../platform/database/fences.ts';
import { excludeLeased } from '../../transactions/queries/utxo-leases.ts';

/** Keeps others from adding this NFT until the unit of work ends. Returns it in vaults, and the attempts to bring it into one. */
export async function lockNft(tx: Transaction, nft: AssetClass): Promise<Asset[]> {
  await closeFence(tx, `asset:${unitOf(nft)}`);
  return claimedNfts(tx, nft);
}

/** Those of a wallet's UTxOs that no open transaction holds. Nobody else can promise them until the transaction ends. */
export async function lockFreeUtxos<Output extends UtxoRef>(
  tx: Transaction,
  address: string,
  utxos: readonly Output[],
): Promise<Output[]> {
  await closeFence(tx, `wallet:${address}`);
  return excludeLeased(tx, utxos);
}
