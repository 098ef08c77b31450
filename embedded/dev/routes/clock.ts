import { z } from 'zod';
import { type Instant, isoText } from '../../../src/platform/units/time.ts';
import { ok } from '../../../src/platform/http/route.ts';
import { route } from '../../../src/api-context.ts';
import { Timestamp } from '../../../src/platform/http/fields.ts';
import { eventually } from '../../eventually.ts';
import { type Development, developerPermission } from '../development.ts';

const HEARD_MS = 10_000;
const TWO_YEARS = 2 * 365 * 24 * 3600;

const Now = z.object({ now: Timestamp });

export const readClock = ({ clock }: Development) =>
  route({
    method: 'get',
    path: '/clock',
    operationId: 'devReadClock',
    summary: 'Get the clock',
    description: 'Returns the time of windows, phases and deadlines. Nonces, sessions and rate limits use real time.',
    permission: developerPermission('READ'),
    responses: { 200: Now },
    errors: [],
    async handle() {
      return ok({ now: isoText(await clock.now()) });
    },
  });

export const advanceClock = ({ clock }: Development) =>
  route({
    method: 'post',
    path: '/clock/advance',
    operationId: 'devAdvanceClock',
    summary: 'Move the clock forward',
    description:
      'Moves the clock by at most two years. Everything that is due until then happens, in order, before this ' +
      'responds. Returns the time that was reached.',
    success: 'The new time',
    examples: { threeDays: { seconds: 259_200 } },
    permission: developerPermission('UPDATE'),
    kind: 'unrecorded change',
    body: z.strictObject({ seconds: z.int().min(1).max(TWO_YEARS) }),
    responses: { 200: Now },
    errors: ['CLOCK_IS_MOVING', 'CLOCK_CANNOT_MOVE', 'LEDGER_UNAVAILABLE', 'LEDGER_SWITCH_REFUSED'],
    async handle({ body }, { readingTime }) {
      const now = await clock.advance(body.seconds);
      await eventually('reads show the time reached', () => requireReached(readingTime, now), HEARD_MS, 1);
      return ok({ now: isoText(now) });
    },
  });

/** This process hears of a move milliseconds later; whoever moved the clock must not read the time before. */
async function requireReached(readingTime: () => Promise<Instant>, reached: Instant): Promise<void> {
  if ((await readingTime()) < reached) throw new Error('a read would show an earlier time');
}
