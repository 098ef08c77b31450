import { z } from 'zod';
import type { Page } from '../../store/page.ts';

/** The query parameters of every list: `page` from 1, `limit` up to 100, `sort=<field>:<asc or desc>`. */
export function pageQuery<const Fields extends readonly [string, ...string[]]>(fields: Fields) {
  type Sort = `${Fields[number]}:${'asc' | 'desc'}`;
  const sorts = fields.flatMap((field) => [`${field}:asc`, `${field}:desc`]) as [Sort, ...Sort[]];
  return {
    page: z.coerce.number().int().min(1).max(1_000_000).describe('Page number, from 1').default(1),
    limit: z.coerce.number().int().min(1).max(100).describe('Number of items on a page').default(20),
    sort: z.enum(sorts).describe('Field and direction of the order').optional(),
  };
}

interface PageRequest {
  readonly page: number;
  readonly limit: number;
  readonly sort?: string | undefined;
}

/** The requested page, in the order `defaultSort` when the request names none. */
export function pageOf<Field extends string>(
  request: PageRequest,
  defaultSort: `${Field}:${'asc' | 'desc'}`,
): Page<Field> {
  const [field, direction] = (request.sort ?? defaultSort).split(':') as [Field, 'asc' | 'desc'];
  return { limit: request.limit, offset: (request.page - 1) * request.limit, sort: { field, direction } };
}

/** The `pagination` of a response. */
export function paginationOf({ page, limit }: PageRequest, total: number) {
  return { page, limit, total };
}
