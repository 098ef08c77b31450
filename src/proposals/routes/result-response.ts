import { z } from 'zod';
import type { FailureReason } from '../rules/proposal.ts';
import { isoText } from '../../platform/units/instant.ts';
import type { ProposalView } from '../view-proposals.ts';
import { Timestamp } from '../../platform/http/fields.ts';
import { FailureReasonEnum } from './enums.ts';
import { presentTally, TallyResource } from './tally-response.ts';

/** The result of a proposal that has ended. */
export const ResultResource = z.object({
  outcome: z.enum(['FAILED', 'EXECUTED']).describe('Same as `status`'),
  reason: FailureReasonEnum.nullable().describe('Same as `failureReason`'),
  tally: TallyResource,
  transactionHash: z
    .string()
    .nullable()
    .describe('Hash of the last execution that was submitted; `null` if none was submitted'),
  executedBy: z.string().nullable().describe('Wallet that had it submitted; `null` if none was submitted'),
  cosigners: z.array(z.string()).describe('Named cosigners who have signed it; empty if none was submitted'),
  executedAt: Timestamp.nullable().describe('When its block was made; `null` while it is in none'),
  cause: z
    .string()
    .nullable()
    .describe('Message of the ledger for human readers if the execution failed; otherwise `null`'),
});

export function presentResult(view: ProposalView, outcome: 'FAILED' | 'EXECUTED', reason: FailureReason | null) {
  return { outcome, reason, tally: presentTally(view), ...presentSubmittedExecution(view) };
}

/** The last execution. An execution that was never submitted is not part of the result. */
function presentSubmittedExecution({ execution: last }: ProposalView) {
  if (!last || last.execution.executedBy === null) {
    return { transactionHash: null, executedBy: null, cosigners: [], executedAt: null, cause: null };
  }
  const { execution, transaction } = last;
  const signed = new Set(transaction.witnesses.map(({ keyHash }) => keyHash));
  return {
    transactionHash: transaction.hash,
    executedBy: execution.executedBy,
    cosigners: execution.cosigners.filter(({ keyHash }) => signed.has(keyHash)).map(({ wallet }) => wallet),
    executedAt: execution.executedAt === null ? null : isoText(execution.executedAt),
    cause: execution.reason,
  };
}
