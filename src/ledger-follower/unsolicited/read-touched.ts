import { ServiceError } from '../../platform/errors/errors.ts';
import { nextUnreadBlock, recordTouched } from '../queries/address-news.ts';
import { firstFollowedHeight, followedBlock, type FollowedBlock } from '../queries/blocks.ts';
import type { ScanContext } from './scan-vaults.ts';

/** Notes which addresses new blocks have touched. Returns whether the ledger lists them. Throws LEDGER_UNAVAILABLE. */
export async function readTouched(context: ScanContext, isTimeUp: () => boolean): Promise<boolean> {
  const { db, ledger, unitOfWork, confirmationDepth } = context;
  // A backend that lags behind may know a block before its transactions: a final one it knows well.
  for (;;) {
    const block = isTimeUp() ? null : await nextUnreadBlock(db, confirmationDepth);
    if (block === null) return true;
    const addresses = await ledger.blockAddresses(block.hash);
    if (addresses === null) return isListing(context, block);
    await unitOfWork(({ tx }) => recordTouched(tx, block, addresses));
  }
}

/**
 * Whether a ledger lists addresses that has none of a block: one that does not know the block may, and one that knows it does not where it lists
 * none of the first followed block either. Throws LEDGER_UNAVAILABLE where it does: one of its backends lags behind.
 */
async function isListing({ db, ledger }: ScanContext, { hash }: Pick<FollowedBlock, 'hash'>): Promise<boolean> {
  if ((await ledger.block(hash)) === null) return true;
  const height = await firstFollowedHeight(db);
  const first = height === null ? null : await followedBlock(db, height);
  if (first === null || (await ledger.blockAddresses(first.hash)) === null) return false;
  throw new ServiceError('LEDGER_UNAVAILABLE', { reason: `the addresses of block ${hash} are not listed yet` });
}
