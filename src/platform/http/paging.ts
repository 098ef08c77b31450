import { z } from 'zod';
import { fieldError } from '../errors/errors.ts';
import type { Page, PageCount } from '../database/page.ts';

/** The query parameters of every list: `page` from 1, `limit` up to 100, `sort=<field>:<asc or desc>`. */
export function pageQuery<const Fields extends readonly [string, ...string[]]>(fields: Fields) {
  type Sort = `${Fields[number]}:${'asc' | 'desc'}`;
  const sorts = fields.flatMap((field) => [`${field}:asc`, `${field}:desc`]) as [Sort, ...Sort[]];
  return {
    page: z.coerce
      .number()
      .int()
      .min(1)
      .max(1_000_000)
      .describe('Page number, starting at 1. Pages cover the first 10,000 items. To read further, use `after`.')
      .default(1),
    after: z
      .string()
      .max(1_000)
      .describe('Cursor: the `next` value of the previous page. Do not combine with `page`.')
      .optional(),
    limit: z.coerce.number().int().min(1).max(100).describe('Page size. 1 to 100, default 20.').default(20),
    sort: z.enum(sorts).describe('Field and direction of the order.').optional(),
  };
}

interface PageRequest {
  readonly page: number;
  readonly after?: string | undefined;
  readonly limit: number;
  readonly sort?: string | undefined;
}

/** A database reads all rows before a page that is found by its number. */
const MAX_NUMBERED_ROWS = 10_000;

/** The requested page, in the order `defaultSort` when the request names none. Throws INVALID_REQUEST at `page` or `after`. */
export function pageOf<Field extends string>(
  request: PageRequest,
  defaultSort: `${Field}:${'asc' | 'desc'}`,
): Page<Field> {
  const { page, limit, sort = defaultSort, after } = request;
  const [field, direction] = sort.split(':') as [Field, 'asc' | 'desc'];
  const order = { limit, sort: { field, direction } };
  if (after === undefined) return { ...order, offset: offsetOf(request) };
  if (page !== 1)
    throw fieldError('INVALID_REQUEST', 'page', 'A page has a number or comes after another page, not both');
  return { ...order, offset: 0, after: readKey(after) };
}

/** The number of rows before a numbered page. Throws INVALID_REQUEST at `page`. */
function offsetOf({ page, limit }: Pick<PageRequest, 'page' | 'limit'>): number {
  if (page > 1 && page * limit > MAX_NUMBERED_ROWS)
    throw fieldError('INVALID_REQUEST', 'page', `Pages reach to item ${MAX_NUMBERED_ROWS}; continue with \`after\``);
  return (page - 1) * limit;
}

const Key = z.array(z.string().max(400)).min(1).max(4);

function readKey(after: string): string[] {
  const parsed = Key.safeParse(jsonOf(Buffer.from(after, 'base64url').toString()));
  if (parsed.success && !parsed.data.some((value) => value.includes('\0'))) return parsed.data;
  throw fieldError('INVALID_REQUEST', 'after', 'This does not come from a page of this list');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The `pagination` of a response. */
export function paginationOf({ page, limit }: PageRequest, { total, totalIsMinimum = false, next }: PageCount) {
  const after = next && Buffer.from(JSON.stringify(next)).toString('base64url');
  return { page, limit, total, totalIsMinimum, next: after };
}
