import type { z } from 'zod';
import { signersOf } from '../rules/required-signatures.ts';
import { confirmationOf } from '../../transactions/rules/finality.ts';
import { type Instant, isoText } from '../../platform/units/instant.ts';
import type { ExecutionView } from '../queries/viewed-executions.ts';
import { presentMultiSignature } from '../../transactions/routes/multi-signature.ts';
import { presentRecorded } from '../../transactions/routes/response.ts';
import type { ExecutionResource } from './resource.ts';

export function presentExecution({ execution, transaction, tip }: ExecutionView): z.input<typeof ExecutionResource> {
  return {
    id: execution.id,
    proposalId: execution.proposalId,
    status: execution.status,
    reason: execution.reason,
    frozenBy: execution.frozenBy,
    executedBy: execution.executedBy,
    cosigners: execution.cosigners.map(({ wallet }) => wallet),
    requiredCosigners: execution.requiredCosigners,
    partner: execution.partner?.wallet ?? null,
    action: execution.action,
    transaction: presentRecorded(transaction),
    ...confirmationOf(transaction, tip),
    multiSignature: presentMultiSignature(transaction, signersOf(execution)),
    createdAt: isoText(execution.createdAt),
    executedAt: textOrNull(execution.executedAt),
  };
}

function textOrNull(at: Instant | null): string | null {
  return at === null ? null : isoText(at);
}
