import { z } from 'zod';
import type { ChainVerdict } from '../../events/audit-chain.ts';
import { enumSchema } from '../../server/enums.ts';
import { Hash, Sequence } from './entry.ts';

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

export function presentVerdict(verdict: ChainVerdict): z.input<typeof AuditVerification> {
  if (!verdict.intact) {
    const { seq, reason } = verdict;
    return { intact: false, entries: 0, end: null, next: null, broken: { seq, reason } };
  }
  const { entries, end, isComplete } = verdict;
  return { intact: true, entries, end, next: isComplete ? null : end.seq, broken: null };
}
