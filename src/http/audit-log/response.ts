import { z } from 'zod';
import type { ChainVerdict } from '../../events/audit-chain.ts';
import { instant, isoText } from '../../domain/units/instant.ts';
import type { ChainedEntry } from '../../store/audit-chain.ts';
import { enumSchema } from '../server/enums.ts';
import { Timestamp } from '../server/fields.ts';

const Sequence = z.string().regex(/^\d+$/).describe('Number of an entry in the chain, from 1; 0 before the first');
const Hash = z.string().regex(/^[0-9a-f]{64}$/);

const ActorTypeEnum = enumSchema('ActorType', ['API_KEY', 'WALLET', 'SYSTEM'], {
  API_KEY: '`id` is the id of an API key; `metadata.onBehalfOf` is the wallet it acted for',
  WALLET: '`id` is the address of a wallet with a session',
  SYSTEM: 'the service itself',
});

/** An entry of the audit log (spec, "Authentication" 8), with its place in the hash chain. */
export const AuditEntryResource = z
  .object({
    id: z.uuid(),
    action: z.string(),
    actor: z.object({ id: z.string(), type: ActorTypeEnum.describe('What the actor is') }),
    resource: z.object({ type: z.string(), id: z.string() }),
    metadata: z.record(z.string(), z.unknown()).describe('Details of the action; never a secret or an email address'),
    timestamp: Timestamp.describe('Time of the action'),
    seq: Sequence.nullable().describe(
      'Number in the chain, from 1; null until it is chained, a moment after the action',
    ),
    previousHash: Hash.nullable().describe(
      '`hash` of the entry before; zeros before the first; null until it is chained',
    ),
    hash: Hash.nullable().describe(
      'SHA-256 of the canonical JSON (RFC 8785) of {seq, id, action, actor, resource, metadata, at, previousHash}, where `at` is ' +
        '`timestamp`; null until it is chained',
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

export const AuditVerification = z
  .object({
    intact: z.boolean().describe('Whether every checked entry is as it was written, and none is missing before it'),
    entries: z.int().describe('Number of intact entries that this request has checked; 0 if one is not intact'),
    end: z
      .object({ seq: Sequence, hash: Hash })
      .nullable()
      .describe(
        'The last checked entry: note it to notice later that entries at the end were removed; null if not intact',
      ),
    next: Sequence.nullable().describe(
      '`after` of the next request; null when the end of the log was reached, or not intact',
    ),
    broken: z
      .object({
        seq: Sequence,
        reason: enumSchema('AuditProblem', ['entry_missing', 'entry_changed', 'link_changed'], {
          entry_missing: 'there is no entry with this number',
          entry_changed: 'the entry does not have its hash',
          link_changed: '`previousHash` is not the hash of the entry before',
        }).describe('What is wrong with it'),
      })
      .nullable()
      .describe('The first entry that is not intact; null if all are'),
  })
  .meta({
    id: 'AuditVerification',
    examples: [{ intact: true, entries: 1, end: { seq: '1', hash: '9b'.repeat(32) }, next: null, broken: null }],
  });

export function presentAuditEntry(entry: ChainedEntry): z.input<typeof AuditEntryResource> {
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

export function presentVerdict(verdict: ChainVerdict): z.input<typeof AuditVerification> {
  if (!verdict.intact) {
    const { seq, reason } = verdict;
    return { intact: false, entries: 0, end: null, next: null, broken: { seq, reason } };
  }
  const { entries, end, isComplete } = verdict;
  return { intact: true, entries, end, next: isComplete ? null : end.seq, broken: null };
}
