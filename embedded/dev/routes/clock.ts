import { z } from 'zod';
import { isoText } from '../../../src/domain/units/instant.ts';
import { ok } from '../../../src/http/server/answer.ts';
import { route } from '../../../src/http/server/context.ts';
import { Timestamp } from '../../../src/http/server/fields.ts';
import { type Development, developer } from '../development.ts';

const TWO_YEARS = 2 * 365 * 24 * 3600;

const Now = z.object({ now: Timestamp });

export const readClock = ({ clock }: Development) =>
  route({
    method: 'get',
    path: '/clock',
    operationId: 'devReadClock',
    summary: "Read the stack's clock",
    description: 'The time that windows, phases and deadlines go by. Nonces, sessions and rate limits go by real time.',
    permission: developer('READ'),
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
    summary: 'Let time pass: everything due on the way happens, in order, before this answers',
    description: 'At most two years. The clock only ever goes forward; it answers the time that was reached.',
    answers: 'The time there is now',
    examples: { threeDays: { seconds: 259_200 } },
    permission: developer('UPDATE'),
    idempotent: false,
    body: z.strictObject({ seconds: z.int().min(1).max(TWO_YEARS) }),
    responses: { 200: Now },
    errors: ['CLOCK_IS_MOVING', 'CLOCK_CANNOT_MOVE', 'LEDGER_UNAVAILABLE', 'LEDGER_SWITCH_REFUSED'],
    async handle({ body }) {
      return ok({ now: isoText(await clock.advance(body.seconds)) });
    },
  });
