import { claimStatuses } from '../../rules/claims/claim.ts';
import { enumSchema } from '../../../platform/http/enums.ts';

export const ClaimStatusEnum = enumSchema('ClaimStatus', claimStatuses, {
  PENDING: 'its transaction is in no block, or in no block any more after a rollback',
  PAID: 'its transaction is in a block: the tokens are in the pot, and the holder is paid',
  EXPIRED:
    'it was not signed or not in a block in time, or the holder has claimed anew; the tokens are still with the holder',
  FAILED: 'the ledger rejected it for good; the tokens are still with the holder',
});
