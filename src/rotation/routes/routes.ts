import { z } from 'zod';
import { cancelRotation } from '../cancel-rotation.ts';
import { readRotations } from '../read-rotations.ts';
import { vaultAttributes } from '../../vaults/vault-access.ts';
import { noContent, ok } from '../../platform/http/route-response.ts';
import { route } from '../../api-context.ts';
import { EnvelopedPage, envelopedPage } from '../../platform/http/envelope.ts';
import { ResourceId } from '../../platform/http/fields.ts';
import { pageOf, pageQuery, paginationOf } from '../../platform/http/paging.ts';
import { runOnce } from '../../platform/http/run-once.ts';
import { announceRotationRoute } from './announce-rotation.ts';
import { presentRotation, RotationResource } from './resource.ts';

const listRotationsRoute = route({
  method: 'get',
  path: '/vaults/:vaultId/rotations',
  operationId: 'listRotations',
  summary: 'List the changes of the key and the cosigners of a vault, with their steps',
  description: 'A step is done, runs, or waits; `move_outputs` has a transaction for each 30 outputs that move.',
  success: 'A page of rotations, newest first',
  permission: { resource: 'vault', action: 'READ', attributes: vaultAttributes },
  params: z.strictObject({ vaultId: ResourceId }),
  query: z.strictObject(pageQuery(['announcedAt'])),
  responses: { 200: EnvelopedPage(z.object({ rotations: z.array(RotationResource) })) },
  errors: ['VAULT_NOT_FOUND'],
  async handle({ params: { vaultId }, query, caller }, api) {
    const { rotations, count } = await readRotations(api, caller, vaultId, pageOf(query, 'announcedAt:desc'));
    const now = await api.readingTime();
    const data = { rotations: rotations.map((one) => presentRotation(one, now)) };
    return ok(envelopedPage(data, paginationOf(query, count), now));
  },
});

const cancelRotationRoute = route({
  method: 'delete',
  path: '/vaults/:vaultId/rotations/:rotationId',
  operationId: 'cancelRotation',
  summary: 'Cancel a rotation that has not begun',
  description:
    'It can be cancelled until it begins at `startsAt`. The key that it had reserved is not used for another vault.',
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
