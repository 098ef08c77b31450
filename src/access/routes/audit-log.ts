import { z } from 'zod';
import { type ChainVerdict, verifyAuditChain } from '../audit.ts';
import { type ChainedEntry, listAuditLog } from '../queries/audit-log.ts';
import { type AuditAnchor, auditAnchorsAfter } from '../../anchoring/queries/audit-anchors.ts';
import { route } from '../../api-context.ts';
import { enumSchema, Timestamp, StartText } from '../../platform/http/fields.ts';
import {
  EnvelopedPage,
  envelopedPage,
  Enveloped,
  enveloped,
  pageOf,
  pageQuery,
  paginationOf,
} from '../../platform/http/envelope.ts';
import { ok } from '../../platform/http/route.ts';
import { instant, isoText } from '../../platform/units/time.ts';
import { ProofLink, proofLink } from '../../transactions/routes/response.ts';

const Sequence = z
  .string()
  .regex(/^\d+$/)
  .describe('Number of an entry in the chain, starting at 1. 0 stands for the start of the chain.');
const Hash = z.string().regex(/^[0-9a-f]{64}$/);

const ActorTypeEnum = enumSchema('ActorType', ['API_KEY', 'WALLET', 'SYSTEM'], {
  API_KEY: '`id` is the ID of an API key, and `metadata.onBehalfOf` is the wallet it acted for',
  WALLET: '`id` is the address of a wallet with a session',
  SYSTEM:
    'the service itself. `id` is `bootstrap` for keys of the configuration, `operator` for a command, and ' +
    '`others` for the callers of very many rejected requests.',
});

/** An entry of the audit log (spec, "Authentication" 8), with its place in the hash chain. */
const AuditEntryResource = z
  .object({
    id: z.uuid(),
    action: z.string(),
    actor: z.object({ id: z.string(), type: ActorTypeEnum.describe('Kind of actor.') }),
    resource: z.object({ type: z.string(), id: z.string() }),
    metadata: z
      .record(z.string(), z.unknown())
      .describe('Details of the action. Never contains a secret or an email address.'),
    timestamp: Timestamp.describe('Time of the action.'),
    seq: Sequence.nullable().describe(
      'Number in the chain, starting at 1. `null` for a moment, until the entry is chained.',
    ),
    previousHash: Hash.nullable().describe(
      '`hash` of the previous entry, or zeros for the first entry. `null` until the entry is chained.',
    ),
    hash: Hash.nullable().describe(
      'SHA-256 of the canonical JSON (RFC 8785) of {seq, id, action, actor, resource, metadata, at, ' +
        'previousHash}. `at` is `timestamp`. `null` until the entry is chained.',
    ),
  })
  .meta({
    id: 'AuditEntry',
    examples: [
      {
        id: '01a1ffab-81a0-71d7-bc2f-7ad9c92e5fb2',
        action: 'API_KEY_REVOKED',
        actor: { id: '01a1ffab801271d7bc2f7ad9c92e5fb2', type: 'API_KEY' },
        resource: { type: 'apiKey', id: '01a1ffab81a071d7bc2f7ad9c92e5fb2' },
        metadata: { apiKeyId: '01a1ffab801271d7bc2f7ad9c92e5fb2' },
        timestamp: '2026-11-21T19:53:12.351Z',
        seq: '1',
        previousHash: '0'.repeat(64),
        hash: '9b'.repeat(32),
      },
    ],
  });

function presentAuditEntry(entry: ChainedEntry): z.input<typeof AuditEntryResource> {
  const { id, action, seq, hash, metadata } = entry;
  return {
    id,
    action,
    actor: { id: entry.actor_id, type: entry.actor_type },
    resource: { type: entry.resource_type, id: entry.resource_id },
    metadata: { ...metadata },
    timestamp: isoText(instant(entry.at)),
    seq,
    previousHash: entry.previous_hash,
    hash,
  };
}

const text = (description: string) => z.string().min(1).max(200).describe(description).optional();
const time = StartText.transform((given) => new Date(given));

const listAuditLogRoute = route({
  method: 'get',
  path: '/audit-log',
  operationId: 'listAuditLog',
  summary: 'List audit log entries',
  description:
    'Lists every change that a caller made. Rejected logins, keys and permissions, and reads of personal data, are ' +
    'counted per minute.\n\n' +
    'Entries are never removed, even if their vault is deleted.',
  success: 'A page of entries',
  permission: { resource: 'auditLog', action: 'READ' },
  query: z.strictObject({
    ...pageQuery(['timestamp']),
    actor: text('Only actions of this API key (ID) or wallet (address).'),
    resourceType: text('Only actions on this kind of resource, such as `vault`.'),
    resourceId: text('Only actions on the resource with this ID.'),
    action: text('Only this action, such as `VAULT_CREATED`.'),
    from: time.describe('Start of the time range, inclusive.').optional(),
    to: time.describe('End of the time range, exclusive.').optional(),
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

const AuditVerification = z
  .object({
    intact: z.boolean().describe('Whether every checked entry is unchanged and none is missing before it.'),
    entries: z.int().describe('Number of intact entries that this request has checked. 0 if one is not intact.'),
    end: z
      .object({ seq: Sequence, hash: Hash })
      .nullable()
      .describe('Last checked entry. `null` if one is not intact.'),
    anchored: z
      .object({
        seq: Sequence,
        hash: Hash,
        proof: ProofLink.describe('Path of the proof that this hash is on the ledger.'),
      })
      .nullable()
      .describe(
        'Last checked entry that is anchored. `null` if there is none, or one is not intact. An intruder in the ' +
          'database cannot change the ledger: compare `hash` with the fact of `proof`, and the proof with the ' +
          'ledger.',
      ),
    next: Sequence.nullable().describe(
      '`after` of the next request. `null` at the end of the log, or if an entry is not intact.',
    ),
    broken: z
      .object({
        seq: Sequence,
        reason: enumSchema('AuditProblem', ['entry_missing', 'entry_changed', 'link_changed', 'anchor_differs'], {
          entry_missing: 'the entry with this number is missing, although it was chained or anchored',
          entry_changed: 'the content of the entry does not match its hash',
          link_changed: '`previousHash` is not the hash of the previous entry',
          anchor_differs: 'the entry had another hash when it was anchored',
        }).describe('Problem of the entry.'),
      })
      .nullable()
      .describe('First entry that is not intact. `null` if all are intact.'),
  })
  .meta({
    id: 'AuditVerification',
    examples: [
      {
        intact: true,
        entries: 1,
        end: { seq: '1', hash: '9b'.repeat(32) },
        anchored: {
          seq: '1',
          hash: '9b'.repeat(32),
          proof: '/api/v1/anchors/01a1ffab-81a0-71d7-bc2f-7ad9c92e5fb2/proof',
        },
        next: null,
        broken: null,
      },
    ],
  });

function presentVerdict(verdict: ChainVerdict, anchors: readonly AuditAnchor[]): z.input<typeof AuditVerification> {
  if (!verdict.intact) {
    const { seq, reason } = verdict;
    return { intact: false, entries: 0, end: null, anchored: null, next: null, broken: { seq, reason } };
  }
  const { entries, end, isComplete } = verdict;
  const last = anchors.findLast(({ seq }) => BigInt(seq) <= BigInt(end.seq));
  const anchored = last ? { seq: last.seq, hash: last.hash, proof: proofLink(last.factId) } : null;
  return { intact: true, entries, end, anchored, next: isComplete ? null : end.seq, broken: null };
}

/** A process hashes these in about a second. */
const MAX_VERIFIED = 10_000;

const verifyAuditLogRoute = route({
  method: 'get',
  path: '/audit-log/verification',
  operationId: 'verifyAuditLog',
  summary: 'Verify the audit log',
  description:
    'Checks that no entry was changed, removed or inserted. Each entry contains the hash of the previous one. The ' +
    'last hash is anchored on the ledger within an hour.\n\n' +
    'Start without `after` and continue with `next` until it is `null`. To check everything at once, and against ' +
    'the ledger, run `npm run ops -- audit verify`. The newest entries may not be in the chain yet.',
  success: 'The checked entries and the first problem',
  permission: { resource: 'auditLog', action: 'READ' },
  query: z.strictObject({
    after: z
      .string()
      .regex(/^\d{1,18}$/, 'Must be the number of an entry.')
      .describe('Number of an entry that an earlier request has checked.')
      .default('0'),
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(MAX_VERIFIED)
      .describe('Maximum number of entries to check.')
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

/** The operations on the audit log, in the order of the OpenAPI document. */
export const auditLogRoutes = [listAuditLogRoute, verifyAuditLogRoute];
