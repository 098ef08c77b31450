import { z } from 'zod';
import { type ServiceError, fieldError } from '../../errors.ts';
import { ErrorBody, errorBody } from '../error-schemas.ts';
import type { Dispatch } from '../dispatch.ts';
import { KEY_TEXT, isIdempotencyKey } from '../idempotency.ts';
import { ok } from '../route.ts';
import { route } from '../../../versions/routes/versions.ts';
import { CaseInsensitive } from '../fields.ts';

const Item = z.strictObject({
  id: z.string().min(1).max(64).describe('ID of the result, unique in the batch.'),
  method: CaseInsensitive(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  path: z.string().min(1).max(2000).describe('Path starting with `/api/v1/`, including the query.'),
  body: z.unknown().optional().describe('Body of the request, as JSON.'),
});

export const Batch = z
  .strictObject({ requests: z.array(Item).min(1).max(20) })
  .superRefine(({ requests }, context) => {
    const ids = requests.map(({ id }) => id);
    for (const [index, id] of ids.entries())
      if (ids.indexOf(id) < index)
        context.addIssue({
          code: 'custom',
          path: ['requests', index, 'id'],
          message: 'Another request of the batch has this ID.',
          params: { code: 'DUPLICATE' },
        });
  })
  .meta({ id: 'Batch' });

export type BatchItem = z.output<typeof Item>;

/** The path and query of an item, without dot segments; null unless it names an operation under /api/v1 that is not a batch. */
export function itemUrl(path: string): string | null {
  const base = 'http://batch.invalid';
  if (!path.startsWith('/') || !URL.canParse(path, base)) return null;
  const { origin, pathname, search } = new URL(path, base);
  const isOperation = origin === base && pathname.startsWith('/api/v1/') && !/^\/api\/v1\/batch\/?$/i.test(pathname);
  return isOperation ? pathname + search : null;
}

const Result = z.discriminatedUnion('status', [
  z.object({
    id: z.string(),
    status: z.literal('success'),
    httpStatus: z.int().describe('HTTP status of this request.'),
    data: z.unknown().describe('Whole body of the response. `null` if it has none.'),
  }),
  z.object({
    id: z.string(),
    status: z.literal('error'),
    httpStatus: z.int().describe('HTTP status of this request.'),
    error: ErrorBody.shape.error,
  }),
]);

export const sendBatchRoute = route({
  method: 'post',
  path: '/batch',
  operationId: 'sendBatch',
  summary: 'Send up to 20 requests at once',
  description:
    'Each item is a separate request with the key and the session of the batch. It needs the permission of its ' +
    'operation, counts against the rate limit, and succeeds or fails alone.\n\n' +
    'The items run at the same time, in no order. An item cannot be a batch. With an `Idempotency-Key`, each item ' +
    'has the key `<key>:<id>`.',
  success: 'The results, in the order of the items',
  examples: {
    twoReads: {
      requests: [
        { id: 'vaults', method: 'GET', path: '/api/v1/vaults?limit=5' },
        { id: 'nonce', method: 'POST', path: '/api/v1/auth/nonces', body: { address: 'addr_test1…' } },
      ],
    },
  },
  permission: { unrestricted: 'Each item needs the permission of its own operation' },
  body: Batch,
  kind: 'batch',
  bodyLimit: 400_000,
  responses: { 200: z.object({ results: z.array(Result) }).meta({ id: 'BatchResults' }) },
  errors: [],
  async handle({ body: { requests }, correlationId, dispatch, idempotencyKey }, { wallClock }) {
    const send = async (item: BatchItem, index: number) => {
      const answer = await answerOf(item, index, { dispatch, idempotencyKey });
      return answer instanceof Error ? refused(item, errorBody(answer, correlationId, wallClock.now())) : answer;
    };
    return ok({ results: await Promise.all(requests.map(send)) });
  },
});

interface BatchScope {
  readonly dispatch: Dispatch;
  readonly idempotencyKey: string | null;
}

async function answerOf(
  item: BatchItem,
  index: number,
  { dispatch, idempotencyKey }: BatchScope,
): Promise<z.input<typeof Result> | ServiceError> {
  const { id, method, path } = item;
  const url = itemUrl(path);
  if (url === null)
    return fieldError(
      'INVALID_REQUEST',
      `requests.${index}.path`,
      'Must be an operation under /api/v1/, and not a batch.',
    );
  const body = item.body === undefined ? null : JSON.stringify(item.body);
  const key = idempotencyKey === null || method === 'GET' ? null : `${idempotencyKey}:${id}`;
  // No header can carry it.
  if (key !== null && !isIdempotencyKey(key))
    return fieldError(
      'INVALID_REQUEST',
      `requests.${index}.id`,
      `The key of the item, <key>:<id>, must be ${KEY_TEXT}.`,
    );
  const response = await dispatch({ method, url, body, idempotencyKey: key });
  if (response.status >= 400) return refused(item, response.body as z.input<typeof ErrorBody>, response.status);
  return { id, status: 'success', httpStatus: response.status, data: response.body ?? null };
}

function refused({ id }: BatchItem, { error }: z.input<typeof ErrorBody>, httpStatus = 400): z.input<typeof Result> {
  return { id, status: 'error', httpStatus, error };
}
