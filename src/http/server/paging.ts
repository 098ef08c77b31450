import { z } from 'zod';
import type { Page } from '../../store/page.ts';

/** The query parameters of every collection: `page` from 1, `limit` to 100, `sort=<field>:<asc or desc>`. */
export function pageQuery<const Fields extends readonly [string, ...string[]]>(fields: Fields) {
  type Sort = `${Fields[number]}:${'asc' | 'desc'}`;
  const sorts = fields.flatMap((field) => [`${field}:asc`, `${field}:desc`]) as [Sort, ...Sort[]];
  return {
    page: z.coerce.number().int().min(1).max(1_000_000).describe('From 1').default(1),
    limit: z.coerce.number().int().min(1).max(100).describe('How many a page has').default(20),
    sort: z.enum(sorts).describe('Field and direction').optional(),
  };
}

interface AskedPage {
  readonly page: number;
  readonly limit: number;
  readonly sort?: string | undefined;
}

/** The page that was asked for; `usual` is the order when none was named. */
export function pageOf<Field extends string>(asked: AskedPage, usual: `${Field}:${'asc' | 'desc'}`): Page<Field> {
  const [field, direction] = (asked.sort ?? usual).split(':') as [Field, 'asc' | 'desc'];
  return { limit: asked.limit, offset: (asked.page - 1) * asked.limit, sort: { field, direction } };
}

/** What an answer says of its page. */
export function paginationOf({ page, limit }: AskedPage, total: number) {
  return { page, limit, total };
}
