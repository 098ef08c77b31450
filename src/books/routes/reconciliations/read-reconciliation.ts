import { z } from 'zod';
import { ServiceError } from '../../../platform/errors/errors.ts';
import { differenceKinds } from '../../rules/difference.ts';
import { findReport } from '../../queries/listed-differences.ts';
import { route } from '../../../api-context.ts';
import { EnvelopedPage, envelopedPage } from '../../../platform/http/envelope.ts';
import { CaseInsensitive, ResourceId } from '../../../platform/http/fields.ts';
import { pageOf, pageQuery, paginationOf } from '../../../platform/http/paging.ts';
import { ok } from '../../../platform/http/route-response.ts';
import { codes, DifferenceResource, presentDifference } from './difference.ts';
import { presentReconciliation, ReconciliationResource } from './resource.ts';

export const readReconciliationRoute = route({
  method: 'get',
  path: '/reconciliations/:reconciliationId',
  operationId: 'readReconciliation',
  summary: 'Read one comparison of the books with the ledger',
  description:
    'Books and ledger are compared as of one block. A difference is reported when it was found twice, and not when a later block explains it.',
  success: 'The report with a page of its differences',
  permission: { resource: 'reconciliation', action: 'READ' },
  params: z.strictObject({ reconciliationId: ResourceId }),
  query: z.strictObject({
    ...pageQuery(['vaultId', 'code']),
    vaultId: ResourceId.describe('Only differences of this vault.').optional(),
    kind: CaseInsensitive(differenceKinds).optional(),
    code: CaseInsensitive(codes).optional(),
  }),
  responses: {
    200: EnvelopedPage(z.object({ reconciliation: ReconciliationResource, differences: z.array(DifferenceResource) })),
  },
  errors: ['RECONCILIATION_NOT_FOUND'],
  async handle({ params, query }, { db, readingTime }) {
    const { vaultId, kind, code } = query;
    const report = await findReport(db, { ...params, vaultId, kind, code }, pageOf(query, 'vaultId:asc'));
    if (!report) throw new ServiceError('RECONCILIATION_NOT_FOUND');
    const data = {
      reconciliation: presentReconciliation(report.reconciliation),
      differences: report.differences.map(presentDifference),
    };
    return ok(envelopedPage(data, paginationOf(query, report.count), await readingTime()));
  },
});
