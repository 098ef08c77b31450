import { z } from 'zod';
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
