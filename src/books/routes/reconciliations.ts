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
  correctness: 'the records contain something that is not on the ledger',
  completeness: 'the ledger contains something that is not in the records',
});

const DifferenceCodeEnum = enumSchema('DifferenceCode', codes, {
  OUTPUT_MISSING: 'an output that is unspent in the records is not on the ledger',
  OUTPUT_NOT_SPENT: 'an output that is spent in the records is unspent',
  OUTPUT_DIFFERS: 'an output holds another amount',
  OUTPUT_UNKNOWN: 'a recorded transaction made an output that is missing in the records',
  OUTPUT_UNLISTED: 'an output of another sender is in no list, although scans should have found it',
  TRANSACTION_NOT_ON_LEDGER: 'a transaction that is in a block in the records is not on the ledger',
  TRANSACTION_STATE_DIFFERS: 'a transaction is in a block, but not in the records',
  TRANSACTION_BLOCK_DIFFERS: 'a transaction is in another block',
  TRANSACTION_UNKNOWN: 'an unrecorded transaction spends an output that is unspent in the records',
  TRANSACTION_OVERDUE: 'a transaction is still waiting although its validity ended long ago',
  ROW_MISSING: 'the deposit, stake or claim of a transaction on the ledger is not recorded',
  ASSET_QUANTITY_DIFFERS: 'the vault holds another quantity of the asset `subject`',
  INVESTMENT_DIFFERS: 'the output of an investment differs from its record',
  STAKE_DIFFERS: 'the output of a stake differs from its record',
  CLAIM_DIFFERS: 'a claim is paid only in the records, or only on the ledger',
  FT_SUPPLY_DIFFERS: 'the supply of vault tokens differs',
  FT_SHARES_DIFFER: 'the shares of the settlement do not add up to the whole supply',
  FT_CIRCULATING_DIFFERS: 'holders have another number of vault tokens',
  ENTITLEMENT_DIFFERS: 'a deposit was paid other tokens than its entitlement says',
  POT_DIFFERS: 'the pot holds less than claims may need',
  ASSET_COUNT_DIFFERS: 'the number of assets of a vault differs from the number of its records',
  VAULT_STATE_DIFFERS: 'the status of a vault does not follow from its transactions',
  LEASE_LEFT: 'an output is reserved for a transaction that has ended',
  VAULT_NOT_COMPARED: 'the vault could not be compared. `ledger` says why.',
});

const DifferenceResource = z
  .object({
    vaultId: z.uuid(),
    kind: DifferenceKindEnum,
    code: DifferenceCodeEnum.describe('Kind of difference.'),
    subject: z.string().describe('An output as `<hash>#<index>`, a hash, an asset unit, or the ID of a record.'),
    books: z.string().describe('Value in the records.'),
    ledger: z.string().describe('Value on the ledger, or value that follows from other records.'),
  })
  .meta({ id: 'Difference' });

function presentDifference(difference: FoundDifference): z.input<typeof DifferenceResource> {
  return { ...difference, kind: differenceCodes[difference.code] };
}

/** A comparison of the books with the ledger. */
const ReconciliationResource = z
  .object({
    reconciliationId: z.uuid(),
    startedBy: z.enum(['schedule', 'operator']).describe('`schedule`: hourly. `operator`: by `npm run reconcile`.'),
    startedAt: Timestamp.describe('Start of the comparison.'),
    endedAt: Timestamp.nullable().describe('End of the comparison. `null` while it is running, or if it never ended.'),
    vaults: z.int().describe('Number of vaults compared.'),
    vaultsLeft: z
      .int()
      .describe('Number of due vaults that did not fit into the time limit. The next comparison includes them.'),
    differences: z
      .object({
        correctness: z.int().describe('Differences that are in the records but not on the ledger.'),
        completeness: z.int().describe('Differences that are on the ledger but not in the records.'),
      })
      .describe('Number of differences found, by kind.'),
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
  summary: 'List reconciliations',
  description:
    'Every hour, and when an operator runs `npm run reconcile`, the service compares its records of all vaults ' +
    'with the ledger. Reports are kept for 90 days.',
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
  summary: 'Get a reconciliation',
  description:
    'The service compares its records with the ledger at one block. It reports a difference that it has found ' +
    'twice and that no later block explains.',
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
