import { z } from 'zod';
import { verifyAuditChain } from '../../events/audit-chain.ts';
import { listAuditLog } from '../../store/audit-log.ts';
import { route } from '../server/context.ts';
import { Enveloped, enveloped, EnvelopedPage, envelopedPage } from '../server/envelope.ts';
import { StartText } from '../server/fields.ts';
import { pageOf, pageQuery, paginationOf } from '../server/paging.ts';
import { ok } from '../server/route-response.ts';
import { AuditEntryResource, AuditVerification, presentAuditEntry, presentVerdict } from './response.ts';

const permission = { resource: 'auditLog', action: 'READ' } as const;
const text = (description: string) => z.string().min(1).max(200).describe(description).optional();
const time = StartText.transform((given) => new Date(given));

const listAuditLogRoute = route({
  method: 'get',
  path: '/audit-log',
  operationId: 'listAuditLog',
  summary: 'Read the audit log: who did what, and when',
  description: 'Every change that a caller makes is in it. Nothing is removed from it, also not with a vault.',
  success: 'A page of entries',
  permission,
  query: z.strictObject({
    ...pageQuery(['timestamp']),
    actor: text('Only actions of this API key (its id) or wallet (its address)'),
    resourceType: text('Only actions on this kind of resource, such as `vault`'),
    resourceId: text('Only actions on the resource with this id'),
    action: text('Only this action, such as `VAULT_CREATED`'),
    from: time.describe('Only from this time on').optional(),
    to: time.describe('Only before this time').optional(),
  }),
  responses: { 200: EnvelopedPage(z.object({ entries: z.array(AuditEntryResource) })) },
  errors: [],
  async handle({ query }, { db, readingTime }) {
    const { actor: actorId, resourceType, resourceId, action, from, to } = query;
    const filter = { actorId, resourceType, resourceId, action, from, to };
    const { entries, count } = await listAuditLog(db, filter, pageOf(query, 'timestamp:desc'));
    const data = { entries: entries.map(presentAuditEntry) };
    return ok(envelopedPage(data, paginationOf(query, count), await readingTime()));
  },
});

/** A process hashes these in about a second. */
const MAX_VERIFIED = 10_000;

const verifyAuditLogRoute = route({
  method: 'get',
  path: '/audit-log/verification',
  operationId: 'verifyAuditLog',
  summary: 'Check that no entry of the audit log was changed, removed or inserted',
  description:
    'Each entry has the hash of the one before it. Start without `after` and continue with `next` until it is null; ' +
    '`npm run ops -- audit verify` checks all at once. Entries of the last moment are not in the chain yet.',
  success: 'What was checked, and what is wrong',
  permission,
  query: z.strictObject({
    after: z
      .string()
      .regex(/^\d{1,18}$/, 'Must be the number of an entry')
      .describe('Number of an entry that an earlier request has checked')
      .default('0'),
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(MAX_VERIFIED)
      .describe('Maximum number of entries to check')
      .default(MAX_VERIFIED),
  }),
  responses: { 200: Enveloped(AuditVerification) },
  errors: [],
  async handle({ query: { after, limit } }, { db, readingTime }) {
    const verdict = await verifyAuditChain(db, { after: BigInt(after), limit });
    return ok(enveloped(presentVerdict(verdict), await readingTime()));
  },
});

export const auditLogRoutes = [listAuditLogRoute, verifyAuditLogRoute];
