import { z } from 'zod';
import { listReconciliations } from '../../store/books/listed-reconciliations.ts';
import { route } from '../../server/context.ts';
import { EnvelopedPage, envelopedPage } from '../../server/envelope.ts';
import { CaseInsensitive } from '../../server/fields.ts';
import { pageOf, pageQuery, paginationOf } from '../../server/paging.ts';
import { ok } from '../../server/route-response.ts';
import { presentReconciliation, ReconciliationResource } from './resource.ts';

export const listReconciliationsRoute = route({
  method: 'get',
  path: '/reconciliations',
  operationId: 'listReconciliations',
  summary: 'List the comparisons of the books with the ledger',
  description:
    'Every hour, and on demand by `npm run reconcile`, everything that the service records of its vaults is compared with the ' +
    'ledger. Reports are kept for 90 days.',
  success: 'A page of reports',
  permission: { resource: 'reconciliation', action: 'READ' },
  query: z.strictObject({
    ...pageQuery(['startedAt']),
    startedBy: CaseInsensitive(['schedule', 'operator']).optional(),
  }),
  responses: { 200: EnvelopedPage(z.object({ reconciliations: z.array(ReconciliationResource) })) },
  errors: [],
  async handle({ query }, { db, readingTime }) {
    const page = pageOf(query, 'startedAt:desc');
    const { reconciliations, count } = await listReconciliations(db, { startedBy: query.startedBy }, page);
    const data = { reconciliations: reconciliations.map(presentReconciliation) };
    return ok(envelopedPage(data, paginationOf(query, count), await readingTime()));
  },
});
