import { z } from 'zod';
import { listReconciliations } from '../../queries/listed-reconciliations.ts';
import { route } from '../../../api-context.ts';
import { EnvelopedPage, envelopedPage } from '../../../platform/http/envelope.ts';
import { CaseInsensitive } from '../../../platform/http/fields.ts';
import { pageOf, pageQuery, paginationOf } from '../../../platform/http/paging.ts';
import { ok } from '../../../platform/http/route-response.ts';
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
