import { isUnique } from '../../domain/asset/asset.ts';
import { arrivingNfts, recordAsFungible } from '../../store/arriving-nfts.ts';
import type { WorkerContext } from '../worker-context.ts';

/**
 * Asks the ledger for the supply of the NFTs that the transactions of a block bring, and makes those CNT of which more than one
 * exist by now (design D42). Called before the block is recorded. Throws LEDGER_UNAVAILABLE.
 */
export async function checkArrivingTypes(
  { db, ledger }: Pick<WorkerContext, 'db' | 'ledger'>,
  hashes: readonly string[],
): Promise<void> {
  for (const nft of await arrivingNfts(db, hashes)) {
    const supply = await ledger.assetSupply(nft.policyId + nft.assetName);
    if (supply !== null && !isUnique(supply)) await recordAsFungible(db, nft);
  }
}
