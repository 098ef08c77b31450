import { z } from 'zod';
import { pausedAreas } from '../../rules/pause.ts';
import { publish } from '../../../events/publish.ts';
import { activePauses, endPause, setPause } from '../../queries/pauses.ts';
import { route } from '../../../api-context.ts';
import { Enveloped, enveloped } from '../../../platform/http/envelope.ts';
import { CaseInsensitive, visibleText } from '../../../platform/http/fields.ts';
import { noContent, ok } from '../../../platform/http/route-response.ts';
import { runOnce } from '../../../platform/http/run-once.ts';
import { presentPauses, Pauses } from './response.ts';

const area = { params: z.strictObject({ area: CaseInsensitive(pausedAreas) }) };

const listPausesRoute = route({
  method: 'get',
  path: '/pauses',
  operationId: 'listPauses',
  summary: 'List paused areas',
  description:
    'Lists the kinds of new work that the operator has paused. Operations of a paused area are refused with OPERATION_PAUSED. Everything under way continues: windows, settlements, ' +
    'votes, executions, and everything that returns value to its owner.',
  permission: { unrestricted: 'A frontend shows its visitors what is paused' },
  responses: { 200: Enveloped(Pauses) },
  errors: [],
  async handle(_request, { db, readingTime }) {
    return ok(enveloped(presentPauses(await activePauses(db)), await readingTime()));
  },
});

const setPauseRoute = route({
  method: 'put',
  path: '/pauses/:area',
  operationId: 'setPause',
  summary: 'Pause one kind of new work',
  description: 'An area that is already paused keeps its `since` and gets the new reason.',
  success: 'The area is paused',
  permission: { resource: 'pause', action: 'UPDATE' },
  ...area,
  examples: { maintenance: { reason: 'The ledger forks today' } },
  body: z.strictObject({ reason: visibleText(500, 1) }).meta({ id: 'SetPause' }),
  responses: { 200: Enveloped(Pauses) },
  errors: [],
  async handle({ params, body, caller, idempotency }, api) {
    return runOnce(api, idempotency, async (context) => {
      await setPause(context, { ...params, ...body });
      const resource = { type: 'pause', id: params.area };
      await publish(context, { audit: { action: 'PAUSE_SET', caller, resource, metadata: body } });
      return ok(enveloped(presentPauses(await activePauses(context.tx)), context.now));
    });
  },
});

const endPauseRoute = route({
  method: 'delete',
  path: '/pauses/:area',
  operationId: 'endPause',
  summary: 'End the pause of one kind of new work',
  description: 'Ending a pause that does not exist changes nothing.',
  success: 'The area is not paused',
  permission: { resource: 'pause', action: 'UPDATE' },
  ...area,
  responses: { 204: null },
  errors: [],
  async handle({ params, caller, idempotency }, api) {
    return runOnce(api, idempotency, async (context) => {
      if (await endPause(context.tx, params.area)) {
        const resource = { type: 'pause', id: params.area };
        await publish(context, { audit: { action: 'PAUSE_ENDED', caller, resource, metadata: {} } });
      }
      return noContent();
    });
  },
});

/** The switches of an operator that stop new work. */
export const pauseRoutes = [listPausesRoute, setPauseRoute, endPauseRoute];
