import { z } from 'zod';
import { rotationStatus, rotationStatuses } from '../rules/rotation.ts';
import { rotationSteps, type RotationStepView, viewRotationSteps } from '../rules/steps.ts';
import { type Instant, isoText } from '../../platform/units/instant.ts';
import { enumSchema } from '../../platform/http/enums.ts';
import { Timestamp } from '../../platform/http/fields.ts';
import type { ListedRotation } from '../queries/listed-rotations.ts';
import { StepStatusEnum } from '../../termination/routes/termination-steps.ts';
import { rotationExample } from './examples.ts';

const RotationStatusEnum = enumSchema('RotationStatus', rotationStatuses, {
  announced: 'it begins at `startsAt`',
  running: 'nothing is executed until it is finished',
  finished: 'everything that the vault has is in its new custody',
  cancelled: 'it never began',
});

const RotationStepEnum = enumSchema('RotationStep', rotationSteps, {
  notice: 'holders know of it before it begins; skipped if a key is compromised',
  end_executions:
    'executions that wait for signatures are voided, those that were sent become final or can no longer land; then the vault has its ' +
    'new custody',
  move_outputs: 'what is at the former addresses moves to the new custody',
});

const RotationStepFields = z.object({
  name: RotationStepEnum,
  status: StepStatusEnum,
  transactionHash: z.string().nullable().describe('Of its newest transaction; `null` if it has none'),
  finalTransactions: z.int().describe('How many of its transactions are final'),
  at: Timestamp.nullable().describe('When it was done, or its newest transaction changed; `null` before'),
});

/** A change of the key or the cosigners of a vault. */
export const RotationResource = z
  .object({
    id: z.uuid(),
    vaultId: z.uuid(),
    status: RotationStatusEnum,
    reason: z.string().describe('Why, in the words of the operator'),
    compromised: z.boolean().describe('Whether it began at once because a key is compromised'),
    contractAddress: z.string().describe('Address of the new custody'),
    vaultKeyHash: z.string().describe('The key of the vault from then on'),
    cosignerKeyHashes: z.array(z.string()).describe('Keys of the cosigners from then on; empty if it has none'),
    requiredCosigners: z.int().nullable().describe('How many of them have to sign; `null` if it has none'),
    announcedAt: Timestamp.describe('From when on everybody could know of it'),
    startsAt: Timestamp.describe('When it begins, or began'),
    finishedAt: Timestamp.nullable().describe('When everything had moved for good; `null` before'),
    cancelledAt: Timestamp.nullable().describe('When it was cancelled; `null` unless it was'),
    steps: z.array(RotationStepFields),
  })
  .meta({ id: 'Rotation', examples: [rotationExample] });

export function presentRotation(
  { rotation, transactions }: ListedRotation,
  now: Instant,
): z.input<typeof RotationResource> {
  const { id, vaultId, reason, isUrgent: compromised, target } = rotation;
  return {
    id,
    vaultId,
    status: rotationStatus(rotation),
    reason,
    compromised,
    contractAddress: target.contractAddress,
    vaultKeyHash: target.vaultKeyHash,
    cosignerKeyHashes: [...(target.cosigners?.keyHashes ?? [])],
    requiredCosigners: target.cosigners?.required ?? null,
    announcedAt: isoText(rotation.announcedAt),
    startsAt: isoText(rotation.startsAt),
    finishedAt: textOf(rotation.finishedAt),
    cancelledAt: textOf(rotation.cancelledAt),
    steps: viewRotationSteps(rotation, transactions, now).map(presentStep),
  };
}

function presentStep({ at, ...step }: RotationStepView): z.input<typeof RotationStepFields> {
  return { ...step, at: textOf(at) };
}

function textOf(at: Instant | null): string | null {
  return at === null ? null : isoText(at);
}
