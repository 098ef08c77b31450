import { z } from 'zod';
import { verifyAuditChain } from '../../audit/verify-audit-chain.ts';
import { auditAnchorsAfter } from '../../../anchoring/queries/audit-anchors.ts';
import { route } from '../../../api-context.ts';
import { Enveloped, enveloped } from '../../../platform/http/envelope.ts';
import { ok } from '../../../platform/http/route-response.ts';
import { AuditVerification, presentVerdict } from './verification.ts';

/** A process hashes these in about a second. */
const MAX_VERIFIED = 10_000;

export const verifyAuditLogRoute = route({
  method: 'get',
  path: '/audit-log/verification',
  operationId: 'verifyAuditLog',
  summary: 'Check that no entry of the audit log was changed, removed or inserted',
  description:
    'Each entry has the hash of the one before it, and the end of the chain is anchored on the ledger within an hour. Start without ' +
    '`after` and continue with `next` until it is null; `npm run ops -- audit verify` checks all at once, and compares it with the ledger ' +
    'itself. Entries of the last moment are not in the chain yet.',
  success: 'What was checked, and what is wrong',
  permission: { resource: 'auditLog', action: 'READ' },
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
    const heads = await auditAnchorsAfter(db, BigInt(after));
    const verdict = await verifyAuditChain(db, { after: BigInt(after), limit, heads });
    return ok(enveloped(presentVerdict(verdict, heads), await readingTime()));
  },
});
