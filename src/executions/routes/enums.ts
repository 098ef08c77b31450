import { executionStatuses } from '../rules/execution.ts';
import { enumSchema } from '../../platform/http/enums.ts';

export const ExecutionStatusEnum = enumSchema('ExecutionStatus', executionStatuses, {
  FROZEN: 'the transaction collects signatures',
  SENT: 'the transaction has been submitted to the ledger',
  EXECUTED: 'the transaction is in a block',
  VOIDED: 'ended before it was submitted; `reason` says why',
  FAILED: 'the transaction can no longer reach a block; `reason` says why',
});
