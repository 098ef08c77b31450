import type { z } from 'zod';
import { signersOf } from '../../domain/execution/required-signatures.ts';
import { confirmationOf } from '../../domain/transaction/finality.ts';
import { type Instant, isoText } from '../../domain/units/instant.ts';
import type { ExecutionView } from '../../store/viewed-executions.ts';
import { presentMultiSignature } from '../transactions/multi-signature.ts';
import { presentRecorded } from '../transactions/response.ts';
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
