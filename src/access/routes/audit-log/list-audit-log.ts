import { z } from 'zod';
import { listAuditLog } from '../../queries/audit-log.ts';
import { route } from '../../../api-context.ts';
import { EnvelopedPage, envelopedPage } from '../../../platform/http/envelope.ts';
import { StartText } from '../../../platform/http/fields.ts';
import { pageOf, pageQuery, paginationOf } from '../../../platform/http/paging.ts';
import { ok } from '../../../platform/http/route-response.ts';
import { AuditEntryResource, presentAuditEntry } from './entry.ts';

const text = (description: string) => z.string().min(1).max(200).describe(description).optional();
const time = StartText.transform((given) => new Date(given));

export const listAuditLogRoute = route({
  method: 'get',
  path: '/audit-log',
  operationId: 'listAuditLog',
  summary: 'Read the audit log: who did what, and when',
  description:
    'It has every change that a caller makes, and by the minute, with their number, refused logins, keys and permissions and reads of ' +
    'personal data. Entries are never removed, even if their vault is deleted.',
  success: 'A page of entries',
  permission: { resource: 'auditLog', action: 'READ' },
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
