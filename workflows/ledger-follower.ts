import { continueAsNew, setCurrentDetails } from '@temporalio/workflow';
import { ledger } from './activity-proxies.ts';

/** Reads every new block once for everyone. One per network; a second one by mistake does no harm (design §4). */
export async function ledgerFollower(): Promise<never> {
  setCurrentDetails('Following the ledger block by block: confirmations, finality, rollbacks, resends, expiry.');
  await ledger.followLedger();
  return continueAsNew<typeof ledgerFollower>();
}
