import { createHash } from 'node:crypto';
import { canonicalJson } from '../../anchoring/rules/canonical-json.ts';
import { instant, isoText } from '../../platform/units/instant.ts';
import type { ChainedEntry } from './audit-chain.ts';

/** The hash before the first entry. */
export const FIRST_HASH = '0'.repeat(64);

/** SHA-256 of the canonical JSON of an entry, its number and the hash before it, in hex. */
export function entryHash(entry: ChainedEntry, seq: string, previousHash: string): string {
  const text = canonicalJson({
    seq,
    id: entry.id,
    action: entry.action,
    actor: { id: entry.actor_id, type: entry.actor_type },
    resource: { type: entry.resource_type, id: entry.resource_id },
    metadata: entry.metadata,
    at: isoText(instant(entry.at)),
    previousHash,
  });
  return createHash('sha256').update(text).digest('hex');
}
