import { stakeReleaseReasons } from '../rules/release-reason.ts';
import { stakeStatuses } from '../rules/stake.ts';
import { enumSchema } from '../../platform/http/enums.ts';

export const StakeStatusEnum = enumSchema('StakeStatus', stakeStatuses, {
  ACTIVE: 'no unfinished proposal uses it; it has voting power once it is final, and its owner can unstake it',
  LOCKED: 'a vote in an unfinished proposal uses it, until `lockedUntil` at the latest',
  RELEASED: 'no longer staked; `releaseReason` says why',
});

export const StakeReleaseReasonEnum = enumSchema('StakeReleaseReason', stakeReleaseReasons, {
  unstaked: 'returned to its owner by a transaction that owner and vault signed',
  expired: 'its transaction was not signed or not in a block in time; the tokens never left the wallet of the owner',
  reclaimed: 'taken back by its owner after `ownerAloneFrom`, without the vault',
});
