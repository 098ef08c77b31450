import { continueAsNew, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { LedgerFollowing } from '../src/platform/temporal/activity-types.ts';
import { ledgerOf } from './activity-proxies.ts';

const isFollowed: LedgerFollowing = { held: null };

/** Reads every new block once for everyone. One per network; a second one by mistake does no harm (design §4). */
export async function ledgerFollower(following = isFollowed): Promise<never> {
  setCurrentDetails(following.held ?? 'Following the ledger block by block. Waiting for the next block.');
  return continueAsNew<typeof ledgerFollower>(await ledgerOf(workflowInfo()).followLedger(following));
}
