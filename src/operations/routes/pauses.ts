import { z } from 'zod';
import { route } from '../../api-context.ts';
import { publish } from '../../events/publish.ts';
import { activePauses, endPause, setPause } from '../queries.ts';
import { type Pause, pausedAreas } from '../rules.ts';
import { enumSchema, Timestamp, CaseInsensitive, visibleText } from '../../platform/http/fields.ts';
import { Enveloped, enveloped } from '../../platform/http/envelope.ts';
import { noContent, ok } from '../../platform/http/route.ts';
import { runOnce } from '../../platform/http/run-once.ts';
import { isoText } from '../../platform/units/time.ts';

const PausedAreaEnum = enumSchema('PausedArea', pausedAreas, {
  creation: 'new vaults',
  contribution: 'new assets in vaults',
  investment: 'new investments',
  governance: 'new stakes and proposals',
});

const PauseResource = z
  .object({
    area: PausedAreaEnum,
    reason: z.string().describe('Reason given by the operator.'),
    since: Timestamp.describe('Start of the pause.'),
  })
  .meta({
    id: 'Pause',
    examples: [{ area: 'investment', reason: 'The price feed is being repaired', since: '2026-11-22T13:10:05.144Z' }],
  });

const Pauses = z.object({ pauses: z.array(PauseResource) });

function presentPauses(pauses: readonly Pause[]): z.input<typeof Pauses> {
  return { pauses: pauses.map(({ since, ...pause }) => ({ ...pause, since: isoText(since) })) };
}

const area = { params: z.strictObject({ area: CaseInsensitive(pausedAreas) }) };

const listPausesRoute = route({
  method: 'get',
  path: '/pauses',
  operationId: 'listPauses',
  summary: 'List paused areas',
  description:
    'Lists the kinds of new work that the operator has paused. Their operations fail with OPERATION_PAUSED. Work ' +
    'that has started continues: windows, settlements, votes, executions and all payments to owners.',
  permission: { unrestricted: 'Frontends show visitors which areas are paused' },
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
  summary: 'Pause an area',
  description: 'Pauses one kind of new work. If the area is already paused, it keeps `since` and gets the new reason.',
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
  summary: 'End a pause',
  description: 'Resumes one kind of new work. Ending a pause that does not exist changes nothing.',
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
