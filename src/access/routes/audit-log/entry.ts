import { z } from 'zod';
import { instant, isoText } from '../../../platform/units/instant.ts';
import type { ChainedEntry } from '../../queries/audit-chain.ts';
import { enumSchema } from '../../../platform/http/enums.ts';
import { Timestamp } from '../../../platform/http/fields.ts';

export const Sequence = z
  .string()
  .regex(/^\d+$/)
  .describe('Number of an entry in the chain, from 1; 0 before the first');
export const Hash = z.string().regex(/^[0-9a-f]{64}$/);

const ActorTypeEnum = enumSchema('ActorType', ['API_KEY', 'WALLET', 'SYSTEM'], {
  API_KEY: '`id` is the id of an API key; `metadata.onBehalfOf` is the wallet it acted for',
  WALLET: '`id` is the address of a wallet with a session',
  SYSTEM:
    'the service itself; `bootstrap` stores the keys of its configuration, `operator` is whoever ran a command beside it, ' +
    '`others` stands for the callers of a flood of refusals',
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
