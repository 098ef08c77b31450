import { z } from 'zod';
import type { Page, PageCount } from '../database/page.ts';
import { fieldError } from '../errors.ts';
import { Timestamp } from './fields.ts';
import { oneOf } from './parse-request.ts';
import { type Instant, isoText } from '../units/time.ts';
import { apiVersion } from '../../versions/rules.ts';

export const Pagination = z
  .object({
    page: z.int().describe('Page number, starting at 1.'),
    limit: z.int().describe('Maximum number of items on a page.'),
    total: z.int().describe('Number of items on all pages, counted up to 10,000.'),
    totalIsMinimum: z.boolean().describe('Whether there are more items than `total`.'),
    next: z
      .string()
      .nullable()
      .describe('`after` of the next page. `null` on the last page, and in lists with numbered pages only.'),
  })
  .meta({ id: 'Pagination' });

const Metadata = z.object({
  timestamp: Timestamp.describe('Time of the response by the clock of the service. Real time for sessions.'),
  version: z.string().describe('Version of this API.'),
});

/** The spec's general envelope around one resource. */
export const Enveloped = <Data extends z.ZodType>(data: Data) =>
  z.object({ status: z.literal('success'), data, metadata: Metadata });

/** The spec's general envelope around a page. */
export const EnvelopedPage = <Data extends z.ZodType>(data: Data) =>
  z.object({ status: z.literal('success'), data, metadata: Metadata.extend({ pagination: Pagination }) });

export function enveloped<const Data>(data: Data, now: Instant) {
  return { status: 'success', data, metadata: { timestamp: isoText(now), version: apiVersion } } as const;
}

export function envelopedPage<const Data>(data: Data, pagination: z.infer<typeof Pagination>, now: Instant) {
  const metadata = { timestamp: isoText(now), version: apiVersion, pagination };
  return { status: 'success', data, metadata } as const;
}

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
  if (page !== 1) throw fieldError('INVALID_REQUEST', 'page', 'Use either `page` or `after`, not both.');
  return { ...order, offset: 0, after: readKey(after) };
}

/** The number of rows before a numbered page. Throws INVALID_REQUEST at `page`. */
function offsetOf({ page, limit }: Pick<PageRequest, 'page' | 'limit'>): number {
  if (page > 1 && page * limit > MAX_NUMBERED_ROWS)
    throw fieldError(
      'INVALID_REQUEST',
      'page',
      `Numbered pages end at item ${MAX_NUMBERED_ROWS}. Continue with \`after\`.`,
    );
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

/** A query parameter with some of these names, repeated or separated by commas. */
export function NameList<const Name extends string>(names: readonly [Name, ...Name[]]) {
  const known: ReadonlySet<string> = new Set(names);
  const isKnown = (text: string): text is Name => known.has(text);
  const schema = z
    .union([z.string().max(2000), z.array(z.string().max(2000)).max(100)])
    .transform((value, context): Name[] => {
      const texts = [value].flat().flatMap((text) => text.split(','));
      const unknown = texts.find((text) => !isKnown(text));
      if (unknown !== undefined) {
        const message = `\`${unknown.slice(0, 100)}\` is unknown. ${oneOf(names)}`;
        context.addIssue({ code: 'custom', message, params: { code: 'VALUE_NOT_ALLOWED' } });
      }
      const given = new Set(texts);
      // In one order, so that the same names are the same request.
      return names.filter((name) => given.has(name));
    });
  return schema.meta({
    override({ jsonSchema }) {
      delete jsonSchema.anyOf;
      Object.assign(jsonSchema, { type: 'array', items: { type: 'string', enum: [...names] } });
    },
  });
}

/** The fields with these names; all fields without names. */
export function selectFields<Resource extends object, Field extends keyof Resource & string>(
  resource: Resource,
  names: readonly Field[] | undefined,
): Resource | Pick<Resource, Field> {
  if (!names) return resource;
  return Object.fromEntries(names.filter((name) => name in resource).map((name) => [name, resource[name]])) as Pick<
    Resource,
    Field
  >;
}
