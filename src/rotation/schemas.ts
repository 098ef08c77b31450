import { z } from 'zod';
import { parseWalletAddress } from '../cardano/scripts/address.ts';
import type { NetworkId } from '../cardano/transaction.ts';
import { fieldError } from '../platform/errors.ts';
import { enumSchema, AddressText, CborText, visibleText, Timestamp } from '../platform/http/fields.ts';
import { type Instant, isoText } from '../platform/units/time.ts';
import type { RotationRequest, NamedCosigner, RequestedCosigners } from './announce-rotation.ts';
import type { ListedRotation } from './queries.ts';
import { rotationStatus, rotationStatuses, rotationSteps, viewRotationSteps } from './rules.ts';
import { StepStatusEnum } from '../termination/schemas.ts';

const RequestedCosigner = z.strictObject({
  address: AddressText.describe("Address of the cosigner's wallet."),
  signature: CborText.describe(
    'COSE_Sign1 of the agreement, in CBOR hex. Required for each new cosigner, and for as many current ones as must sign.',
  ).optional(),
  key: CborText.describe('COSE_Key in CBOR hex.').optional(),
});

/** Accepted in the body of an announcement. */
export const RotationBody = z
  .strictObject({
    reason: visibleText(500, 1).describe('Reason for the rotation. Everybody can read it.'),
    newKey: z.boolean().default(true).describe('Whether the vault gets a new key.'),
    cosigners: z
      .array(RequestedCosigner)
      .min(1)
      .max(20)
      .describe('All cosigners after the rotation. Default: the current ones.')
      .optional(),
    leavingCosigners: z
      .array(RequestedCosigner)
      .max(20)
      .describe('Current cosigners who are not in `cosigners` and agree.')
      .optional(),
    requiredCosigners: z
      .int()
      .min(1)
      .max(20)
      .describe('Number of `cosigners` that must sign. Default: the current number, or all if there are fewer.')
      .optional(),
    compromised: z
      .boolean()
      .default(false)
      .describe(
        'Whether the key of the vault is compromised. If true, the rotation begins at once, and the cosigners stay.',
      ),
  })
  .meta({ id: 'AnnounceRotation' });

type AnnouncedRotation = z.output<typeof RotationBody> & { readonly vaultId: string };

/** What a request asks for. */
export function parseRotation(body: AnnouncedRotation, networkId: NetworkId): RotationRequest {
  const { vaultId, reason, newKey, compromised: isUrgent } = body;
  requireConsistent(body);
  return { vaultId, reason, newKey, isUrgent, cosigners: parseCosigners(body, networkId) };
}

function requireConsistent({
  newKey,
  cosigners,
  leavingCosigners,
  requiredCosigners,
  compromised,
}: AnnouncedRotation): void {
  if (!newKey && !cosigners) throw refusal('newKey', 'This request changes nothing. Name a new key or cosigners.');
  if (!newKey && compromised) throw refusal('newKey', 'A compromised key must be replaced.');
  if (!cosigners && (requiredCosigners ?? leavingCosigners) !== undefined)
    throw refusal('cosigners', 'Name the cosigners as well.');
  if (cosigners && compromised) throw refusal('cosigners', 'A rotation without notice cannot change the cosigners.');
}

function refusal(field: string, message: string) {
  return fieldError('INVALID_REQUEST', field, message);
}

/** The cosigners that a request names; null if the vault keeps its own. */
function parseCosigners(
  { cosigners, leavingCosigners = [], requiredCosigners: required }: AnnouncedRotation,
  networkId: NetworkId,
): RequestedCosigners | null {
  if (cosigners === undefined) return null;
  const named = namedIn('cosigners', cosigners, networkId);
  const keyHashes = named.map(({ wallet }) => wallet.paymentKeyHash);
  if (new Set(keyHashes).size < keyHashes.length) throw refusal('cosigners', 'Two cosigners have the same key.');
  if (required !== undefined && required > keyHashes.length)
    throw refusal('requiredCosigners', 'The required number is higher than the number of cosigners.');
  return { named, leaving: namedIn('leavingCosigners', leavingCosigners, networkId), required };
}

function namedIn(
  list: string,
  wallets: NonNullable<AnnouncedRotation['cosigners']>,
  networkId: NetworkId,
): NamedCosigner[] {
  return wallets.map(({ address, signature, key }, index) => {
    const field = `${list}.${index}`;
    return { field, wallet: parseWalletAddress(address, networkId, `${field}.address`), signature, key };
  });
}

const rotationExample = {
  id: '01a2c4d6-5d1e-7f20-8a3b-4c5d6e7f8091',
  vaultId: '01a1ffab-8344-7827-bd78-57c678beaaf0',
  status: 'running' as const,
  reason: 'Yearly rotation',
  compromised: false,
  contractAddress: 'addr_test1wqag3rt979nep9g2wtdwu8mr4gz6m4kjdpp5zp705km8wys6t2kla',
  vaultKeyHash: '5c1d0e8f7b6a493827160594837261504f3e2d1c0b9a8f7e6d5c4b3a',
  cosignerKeyHashes: [],
  requiredCosigners: null,
  announcedAt: '2026-12-14T08:02:11.301Z',
  startsAt: '2026-12-17T08:02:11.301Z',
  finishedAt: null,
  cancelledAt: null,
  steps: [
    { name: 'notice' as const, status: 'done' as const, transactionHash: null, finalTransactions: 0, at: '2026-12-17T08:02:11.640Z' }, // prettier-ignore
    { name: 'end_executions' as const, status: 'done' as const, transactionHash: null, finalTransactions: 0, at: '2026-12-17T08:02:12.018Z' }, // prettier-ignore
    {
      name: 'move_outputs' as const,
      status: 'running' as const,
      transactionHash: '5c1d0e8f7b6a493827160594837261504f3e2d1c0b9a8f7e6d5c4b3a29180716',
      finalTransactions: 1,
      at: '2026-12-17T08:02:44.000Z',
    },
  ],
};

const RotationStatusEnum = enumSchema('RotationStatus', rotationStatuses, {
  announced: 'it begins at `startsAt`',
  running: 'running. Nothing is executed until it has finished.',
  finished: 'everything in the vault is in its new custody',
  cancelled: 'it never began',
});

const RotationStepEnum = enumSchema('RotationStep', rotationSteps, {
  notice: 'holders learn about it before it begins. Skipped if a key is compromised.',
  end_executions:
    'executions that wait for signatures are voided. Submitted ones become final or fail. Then the vault has its new custody.',
  move_outputs: 'outputs at the former addresses move to the new custody',
});

const RotationStepFields = z.object({
  name: RotationStepEnum,
  status: StepStatusEnum,
  transactionHash: z.string().nullable().describe('Hash of its newest transaction. `null` if it has none.'),
  finalTransactions: z.int().describe('Number of its transactions that are final.'),
  at: Timestamp.nullable().describe('Time at which it was done, or its newest transaction changed. `null` before.'),
});

/** A change of the key or the cosigners of a vault. */
export const RotationResource = z
  .object({
    id: z.uuid(),
    vaultId: z.uuid(),
    status: RotationStatusEnum,
    reason: z.string().describe('Reason given by the operator.'),
    compromised: z.boolean().describe('Whether it began at once because a key is compromised.'),
    contractAddress: z.string().describe('Address of the new custody.'),
    vaultKeyHash: z.string().describe('Key of the vault after the rotation.'),
    cosignerKeyHashes: z.array(z.string()).describe('Keys of the cosigners after the rotation. Empty if it has none.'),
    requiredCosigners: z.int().nullable().describe('Number of cosigners that must sign. `null` if it has none.'),
    announcedAt: Timestamp.describe('Time of the announcement.'),
    startsAt: Timestamp.describe('Start of the rotation.'),
    finishedAt: Timestamp.nullable().describe('Time at which everything had moved. `null` before.'),
    cancelledAt: Timestamp.nullable().describe('Time at which it was cancelled, otherwise `null`.'),
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
    steps: viewRotationSteps(rotation, transactions, now).map(({ at, ...step }) => ({ ...step, at: textOf(at) })),
  };
}

function textOf(at: Instant | null): string | null {
  return at === null ? null : isoText(at);
}
