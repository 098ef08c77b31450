import { z } from 'zod';
import type { ChainVerdict } from '../../audit/verify-audit-chain.ts';
import type { AuditAnchor } from '../../../anchoring/queries/audit-anchors.ts';
import { enumSchema } from '../../../platform/http/enums.ts';
import { ProofLink, proofLink } from '../../../transactions/routes/response.ts';
import { Hash, Sequence } from './entry.ts';

export const AuditVerification = z
  .object({
    intact: z.boolean().describe('Whether every checked entry is as it was written, and none is missing before it'),
    entries: z.int().describe('Number of intact entries that this request has checked; 0 if one is not intact'),
    end: z.object({ seq: Sequence, hash: Hash }).nullable().describe('The last checked entry; null if not intact'),
    anchored: z
      .object({
        seq: Sequence,
        hash: Hash,
        proof: ProofLink.describe('Path of the proof that the ledger has this hash of the entry'),
      })
      .nullable()
      .describe(
        'The last checked entry that is anchored; null if none is, or not intact. Who can write to the database cannot change the ledger: ' +
          'compare the hash with the one in the fact of `proof`, and the proof with the ledger',
      ),
    next: Sequence.nullable().describe(
      '`after` of the next request; null when the end of the log was reached, or not intact',
    ),
    broken: z
      .object({
        seq: Sequence,
        reason: enumSchema('AuditProblem', ['entry_missing', 'entry_changed', 'link_changed', 'anchor_differs'], {
          entry_missing: 'there is no entry with this number, although it was chained or anchored',
          entry_changed: 'the entry does not have its hash',
          link_changed: '`previousHash` is not the hash of the entry before',
          anchor_differs: 'the entry had another hash when it was anchored',
        }).describe('What is wrong with it'),
      })
      .nullable()
      .describe('The first entry that is not intact; null if all are'),
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

export function presentVerdict(
  verdict: ChainVerdict,
  anchors: readonly AuditAnchor[],
): z.input<typeof AuditVerification> {
  if (!verdict.intact) {
    const { seq, reason } = verdict;
    return { intact: false, entries: 0, end: null, anchored: null, next: null, broken: { seq, reason } };
  }
  const { entries, end, isComplete } = verdict;
  const last = anchors.findLast(({ seq }) => BigInt(seq) <= BigInt(end.seq));
  const anchored = last ? { seq: last.seq, hash: last.hash, proof: proofLink(last.factId) } : null;
  return { intact: true, entries, end, anchored, next: isComplete ? null : end.seq, broken: null };
}
