export { anchorSubmitter } from './anchor-submitter.ts';
export { ledgerFollower } from './ledger-follower.ts';
export { proposal } from './proposal.ts';
export { rotation } from './rotation.ts';
export { lostWorkflows, reconciliation, sweep, unsolicitedScan, valuationRefresh } from './schedules.ts';
export { transaction } from './transaction.ts';
export { vault } from './vault.ts';
