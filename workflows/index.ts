export { anchorLane } from './anchor-lane.ts';
export { ledgerFollower } from './ledger-follower.ts';
export { proposal } from './proposal.ts';
export { sweep } from './sweep.ts';
export { transaction } from './transaction.ts';
export { unsolicitedLook } from './unsolicited-scan.ts';
export { valuationRefresh } from './valuation-refresh.ts';
export { vault } from './vault.ts';
