import { settleAll, throwFailures } from '../platform/errors/failures.ts';
import { arrivingNfts } from './queries/arriving-nfts.ts';
import type { WorkerContext } from '../worker-context.ts';
import { checkSupply } from './check-supply.ts';

const ASKED_AT_ONCE = 10;

/**
 * Asks the ledger for the supply of the NFTs that the transactions of a block bring. Called before the block is recorded, which no
 * answer about one of them may keep waiting: an NFT of unknown supply is marked, and has no price until its supply is known.
 */
export async function checkArrivingTypes(
  context: Pick<WorkerContext, 'db' | 'ledger' | 'onUnknownSupply'>,
  hashes: readonly string[],
): Promise<void> {
  const arriving = await arrivingNfts(context.db, hashes);
  const failures = await settleAll(arriving, ASKED_AT_ONCE, async (nft) => {
    const error = await checkSupply(context, nft);
    if (error) context.onUnknownSupply(nft, error);
  });
  throwFailures(failures);
}
