import type { z } from 'zod';
import { signatureProgress, signersOf } from '../../domain/execution/required-signatures.ts';
import { type Instant, isoText } from '../../domain/units/instant.ts';
import type { ExecutionView } from '../../services/executions/view-executions.ts';
import type { ChainTransaction } from '../../store/chain-transactions.ts';
import type { Execution } from '../../store/executions.ts';
import { presentRecorded } from '../transactions/response.ts';
import type { ExecutionResource } from './resource.ts';

export function presentExecution({ execution, transaction }: ExecutionView): z.input<typeof ExecutionResource> {
  return {
    id: execution.id,
    proposalId: execution.proposalId,
    status: execution.status,
    reason: execution.reason,
    frozenBy: execution.frozenBy,
    executedBy: execution.executedBy,
    cosigners: execution.cosigners.map(({ wallet }) => wallet),
    partner: execution.partner?.wallet ?? null,
    action: execution.action,
    transaction: presentRecorded(transaction),
    multiSignature: presentSignatures(execution, transaction),
    createdAt: isoText(execution.createdAt),
    executedAt: textOrNull(execution.executedAt),
  };
}

function presentSignatures(execution: Execution, { hash, witnesses }: ChainTransaction) {
  const signers = signersOf(execution);
  const byKey = new Map(witnesses.map(({ keyHash, signature }) => [keyHash, signature]));
  const { required, missingSigners } = signatureProgress(signers, new Set(byKey.keys()));
  const signed = signers.filter(({ keyHash }) => byKey.has(keyHash));
  return {
    hash,
    signatures: signed.map(({ keyHash }) => byKey.get(keyHash) ?? ''),
    signers: signed.map(({ wallet }) => wallet),
    threshold: required,
    missing: [...missingSigners],
  };
}

function textOrNull(at: Instant | null): string | null {
  return at === null ? null : isoText(at);
}
