import { z } from 'zod';
import { errorRegistry } from '../error-registry.ts';
import type { ServiceError } from '../errors.ts';
import { type Instant, isoText } from '../units/time.ts';
import { RefusalCode, Timestamp } from './fields.ts';

const FieldProblem = z
  .object({
    code: z
      .string()
      .describe('For programs: a code of `x-error-codes`, or the kind of problem of the field, for example REQUIRED.'),
    message: z.string().describe('For people. The text may change.'),
    field: z
      .string()
      .describe(
        'Path of the field, for example `proposal_details.affected_assets.0.asset_name`. `body` is the whole body.',
      ),
  })
  .meta({ id: 'FieldProblem' });

const Details = z.looseObject({
  errors: z
    .array(FieldProblem)
    .describe('All invalid fields of the request. Omitted if the error is not about fields.')
    .optional(),
});

const details = Details.describe(
  'Fields that `x-error-codes` lists for the code. Omitted if there are none.',
).optional();
const correlationId = z.string().describe('Same as the header `X-Correlation-Id`. Also in the logs.');
const timestamp = Timestamp.describe('Real time, as in the logs.');

/** Body of an error response (spec, "Errors" 2 and 3). */
export const ErrorBody = z
  .object({
    status: z.literal('error'),
    error: z.object({
      type: z.string().describe('Category of `code`.'),
      code: RefusalCode,
      message: z.string().describe('For people. The text may change.'),
      details,
      correlationId,
      timestamp,
    }),
  })
  .meta({
    id: 'Error',
    examples: [
      {
        status: 'error',
        error: {
          type: 'BUSINESS_LOGIC_ERROR',
          code: 'INSUFFICIENT_VOTING_POWER',
          message: 'The wallet has less voting power than this. See `available`.',
          details: { required: '999999000000', available: '271428571429' },
          correlationId: '01a1ffab-bb4c-7c2b-831a-36b802470d2f',
          timestamp: '2026-11-21T19:53:27.166Z',
        },
      },
    ],
  });

/** The body of an error (spec, "Errors" 3). */
export function errorBody(
  { code, message, details }: ServiceError,
  correlationId: string,
  at: Instant,
): z.input<typeof ErrorBody> {
  const { type } = errorRegistry[code];
  const error = { type, code, message, ...(details && { details }), correlationId, timestamp: isoText(at) };
  return { status: 'error', error };
}

/** The same error as problem details (RFC 9457). Its details are a member of their own: some are named like other members. */
export const Problem = z
  .object({
    type: z.string().describe('`urn:vts:error:` followed by the code.'),
    title: z.string().describe('For people. The text may change.'),
    status: z.int().describe('HTTP status.'),
    code: RefusalCode,
    details,
    correlationId,
    timestamp,
  })
  .meta({ id: 'Problem' });
