import { z } from 'zod';
import { route } from '../api-context.ts';
import {
  Enveloped,
  enveloped,
  EnvelopedPage,
  envelopedPage,
  pageOf,
  pageQuery,
  paginationOf,
} from '../platform/http/envelope.ts';
import { ServiceError } from '../platform/errors.ts';
import { ResourceId } from '../platform/http/fields.ts';
import { created, noContent, ok } from '../platform/http/route.ts';
import { runOnce } from '../platform/http/run-once.ts';
import { announceRotation } from './announce-rotation.ts';
import { cancelRotation } from './cancel-rotation.ts';
import { getListedRotation, listRotations } from './queries.ts';
import { parseRotation, RotationBody, presentRotation, RotationResource } from './schemas.ts';
import { readerScope, vaultAttributes } from '../vaults/require-vault.ts';

const announceRotationRoute = route({
  method: 'post',
  path: '/vaults/:vaultId/rotations',
  operationId: 'announceRotation',
  summary: 'Announce a rotation of custody',
  description: [
    'Moves everything in the custody of a settled vault to a new address: a new key, new cosigners, or both. It ' +
      'begins three days after the announcement, or at once if the key is compromised. Until it has finished, ' +
      'nothing is executed and the end of the vault waits. Current cosigners sign the moves with `addWitnesses`.',
    'Each new cosigner, and as many current ones as must sign, agree with a CIP-30 `signData` of `Cosign for ' +
      'vault {vaultId}: {required} of {key hashes}, instead of {contractAddress} after {n} rotations`. Write the ' +
      'key hashes in ascending order, separated by a comma and a space. `n` includes cancelled rotations.',
    'Existing stakes and deposits do not move.',
  ].join('\n\n'),
  success: 'The rotation is announced',
  examples: {
    yearly: { reason: 'Yearly rotation' },
    compromised: { reason: 'A backup of the key was lost', compromised: true },
  },
  permission: { resource: 'rotation', action: 'CREATE' },
  params: z.strictObject({ vaultId: ResourceId }),
  body: RotationBody,
  responses: { 201: Enveloped(RotationResource) },
  errors: [
    'VAULT_NOT_FOUND',
    'VAULT_NOT_LOCKED',
    'VAULT_ALREADY_ENDED',
    'ROTATION_UNDER_WAY',
    'VAULT_WITHOUT_COSIGNERS',
    'INVALID_SIGNATURE',
    'INVALID_ADDRESS',
    'WRONG_NETWORK',
    'LEDGER_UNAVAILABLE',
    'SERVICE_NOT_READY',
  ],
  errorFields: { VAULT_WITHOUT_COSIGNERS: 'cosigners', INVALID_SIGNATURE: 'cosigners' },
  async handle({ params: { vaultId }, body, caller, correlationId, idempotency }, api) {
    const requested = parseRotation({ ...body, vaultId }, api.networkId);
    const { anchor } = await api.networkState();
    return runOnce(api, idempotency, async (context) => {
      const id = await announceRotation(context, api, { ...requested, caller, correlationId }, anchor);
      return created(enveloped(presentRotation(await getListedRotation(context.tx, id), context.now), context.now));
    });
  },
});

const listRotationsRoute = route({
  method: 'get',
  path: '/vaults/:vaultId/rotations',
  operationId: 'listRotations',
  summary: 'List the rotations of a vault',
  description:
    'Lists the changes of the key and the cosigners of a vault, with the state of each step. `move_outputs` has ' +
    'a transaction for every 30 outputs.',
  success: 'A page of rotations, newest first',
  permission: { resource: 'vault', action: 'READ', attributes: vaultAttributes },
  params: z.strictObject({ vaultId: ResourceId }),
  query: z.strictObject(pageQuery(['announcedAt'])),
  responses: { 200: EnvelopedPage(z.object({ rotations: z.array(RotationResource) })) },
  errors: ['VAULT_NOT_FOUND'],
  async handle({ params: { vaultId }, query, caller }, api) {
    const listed = await listRotations(api.db, vaultId, readerScope(caller), pageOf(query, 'announcedAt:desc'));
    if (!listed) throw new ServiceError('VAULT_NOT_FOUND');
    const now = await api.readingTime();
    const data = { rotations: listed.rotations.map((one) => presentRotation(one, now)) };
    return ok(envelopedPage(data, paginationOf(query, listed.count), now));
  },
});

const cancelRotationRoute = route({
  method: 'delete',
  path: '/vaults/:vaultId/rotations/:rotationId',
  operationId: 'cancelRotation',
  summary: 'Cancel a rotation',
  description:
    'You can cancel a rotation until it begins at `startsAt`. Its reserved key is not used for another vault.',
  success: 'The vault keeps its key and its cosigners',
  permission: { resource: 'rotation', action: 'DELETE' },
  params: z.strictObject({ vaultId: ResourceId, rotationId: ResourceId }),
  responses: { 204: null },
  errors: ['VAULT_NOT_FOUND', 'ROTATION_NOT_FOUND', 'ROTATION_NOT_CANCELLABLE'],
  async handle({ params, caller, correlationId, idempotency }, api) {
    return runOnce(api, idempotency, async (context) => {
      await cancelRotation(context, { ...params, caller, correlationId });
      return noContent();
    });
  },
});

/** The changes of the key and the cosigners of vaults, in the order of the OpenAPI document. */
export const rotationRoutes = [announceRotationRoute, listRotationsRoute, cancelRotationRoute];
