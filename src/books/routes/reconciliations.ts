import { z } from 'zod';
import { route } from '../../api-context.ts';
import {
  type FoundDifference,
  type Reconciliation,
  listReconciliations,
  findReport,
} from '../queries/reconciliations.ts';
import { differenceCodes, differenceKinds, type DifferenceCode } from '../rules/books.ts';
import { ServiceError } from '../../platform/errors.ts';
import { enumSchema, Timestamp, CaseInsensitive, ResourceId } from '../../platform/http/fields.ts';
import { EnvelopedPage, envelopedPage, pageOf, pageQuery, paginationOf } from '../../platform/http/envelope.ts';
import { ok } from '../../platform/http/route.ts';
import { isoText } from '../../platform/units/time.ts';

const codes = Object.keys(differenceCodes) as [DifferenceCode, ...DifferenceCode[]];

const DifferenceKindEnum = enumSchema('DifferenceKind', differenceKinds, {
  correctness: 'the books say what is not so',
  completeness: 'the books do not say what is so',
});

const DifferenceCodeEnum = enumSchema('DifferenceCode', codes, {
  OUTPUT_MISSING: 'an output that the books call unspent is not on the ledger',
  OUTPUT_NOT_SPENT: 'an output that the books call spent is unspent',
  OUTPUT_DIFFERS: 'an output holds another amount',
  OUTPUT_UNKNOWN: 'a recorded transaction made an output that the books do not have',
  OUTPUT_UNLISTED: 'an output of others is in no list although scans should have found it',
  TRANSACTION_NOT_ON_LEDGER: 'a transaction that the books have in a block is on no ledger',
  TRANSACTION_STATE_DIFFERS: 'a transaction is in a block, and the books say that it is not',
  TRANSACTION_BLOCK_DIFFERS: 'a transaction is in another block',
  TRANSACTION_UNKNOWN: 'a transaction that the books do not have spends what they call unspent',
  TRANSACTION_OVERDUE: 'a transaction still waits although its validity passed long ago',
  ROW_MISSING: 'a transaction on the ledger brought something, and there is no row of it',
  ASSET_QUANTITY_DIFFERS: 'the assets of a unit are not as many as the vault holds; `subject` is the unit',
  INVESTMENT_DIFFERS: 'the output of an investment is not as its row says',
  STAKE_DIFFERS: 'the output of a stake is not as its row says',
  CLAIM_DIFFERS: 'a claim is paid in one place only',
  FT_SUPPLY_DIFFERS: 'another number of vault tokens exists',
  FT_SHARES_DIFFER: 'the shares of the settlement are not the whole supply',
  FT_CIRCULATING_DIFFERS: 'holders have another number of vault tokens',
  ENTITLEMENT_DIFFERS: 'a deposit was paid other tokens than its entitlement says',
  POT_DIFFERS: 'the pot holds less than claims may ask for',
  ASSET_COUNT_DIFFERS: 'the number of assets of a vault is not that of its rows',
  VAULT_STATE_DIFFERS: 'the status of a vault does not follow from its transactions',
  LEASE_LEFT: 'an output is kept for a transaction that has ended',
  VAULT_NOT_COMPARED: 'the vault could not be compared; `ledger` says why',
});

const DifferenceResource = z
  .object({
    vaultId: z.uuid(),
    kind: DifferenceKindEnum,
    code: DifferenceCodeEnum.describe('What differs'),
    subject: z.string().describe('An output as `<hash>#<index>`, a hash, a unit, or the id of a row'),
    books: z.string().describe('What the books say'),
    ledger: z.string().describe('What the ledger says, or what follows from other rows'),
  })
  .meta({ id: 'Difference' });

function presentDifference(difference: FoundDifference): z.input<typeof DifferenceResource> {
  return { ...difference, kind: differenceCodes[difference.code] };
}

/** A comparison of the books with the ledger. */
const ReconciliationResource = z
  .object({
    reconciliationId: z.uuid(),
    startedBy: z.enum(['schedule', 'operator']).describe('Hourly, or by `npm run reconcile`'),
    startedAt: Timestamp.describe('When the comparison began'),
    endedAt: Timestamp.nullable().describe('`null` while it is under way, and if it never ended'),
    vaults: z.int().describe('Number of vaults compared'),
    vaultsLeft: z.int().describe('Number of vaults that were due when its time was over; the next one compares them'),
    differences: z
      .object({
        correctness: z.int().describe('What the books say and is not so'),
        completeness: z.int().describe('What is so and the books do not say'),
      })
      .describe('Number of differences found, by kind'),
  })
  .meta({
    id: 'Reconciliation',
    examples: [
      {
        reconciliationId: '01a1ffab-81a0-71d7-bc2f-7ad9c92e5fb2',
        startedBy: 'schedule',
        startedAt: '2026-11-23T04:00:00.112Z',
        endedAt: '2026-11-23T04:00:09.530Z',
        vaults: 12,
        vaultsLeft: 0,
        differences: { correctness: 0, completeness: 0 },
      },
    ],
  });

function presentReconciliation(report: Reconciliation): z.input<typeof ReconciliationResource> {
  const { id: reconciliationId, startedAt, endedAt, startedBy, vaults, vaultsLeft, differences } = report;
  const ended = endedAt === null ? null : isoText(endedAt);
  const times = { startedAt: isoText(startedAt), endedAt: ended };
  return { reconciliationId, startedBy, ...times, vaults, vaultsLeft, differences };
}

const listReconciliationsRoute = route({
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

const readReconciliationRoute = route({
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

/** How the books compare with the ledger. */
export const reconciliationRoutes = [listReconciliationsRoute, readReconciliationRoute];
