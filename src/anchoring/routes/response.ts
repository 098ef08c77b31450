import { z } from 'zod';
import type { AnchorProof } from '../read-anchor-proof.ts';
import { proofExample } from './examples.ts';
import { TransactionStateEnum } from '../../transactions/routes/enums.ts';

const Hex32 = z.string().regex(/^[0-9a-f]{64}$/);

/** Everything needed to verify with public data that a fact is on the ledger. */
export const AnchorProofResource = z
  .object({
    factId: z.uuid(),
    fact: z.string().describe('Canonical JSON (RFC 8785) of the fact'),
    leaf: Hex32.describe('blake2b-256(0x00 ‖ fact)'),
    path: z
      .array(
        z.object({
          side: z.enum(['left', 'right']).describe('The side of `hash` in the pair'),
          hash: Hex32.describe('Hash of the sibling node'),
        }),
      )
      .describe('Sibling nodes from the leaf to the root; a parent is blake2b-256(0x01 ‖ left ‖ right)'),
    root: Hex32.describe('Merkle root that `path` leads to; compare it with the root in `txHash`'),
    txHash: Hex32.describe('The transaction that carries the root, in its metadata under label 868483'),
    status: TransactionStateEnum,
    blockHeight: z.int().nullable().describe('`null` while the transaction is in no block'),
    replaced: z
      .array(Hex32)
      .describe('Hashes of earlier transactions with this root that can no longer reach a block, oldest first'),
  })
  .meta({ id: 'AnchorProof', examples: [proofExample] });

/** The published latency of what is anchored. */
export const AnchorPace = z
  .object({
    intervalSeconds: z.number().describe('The longest that a fact waits for its batch at present'),
    maxIntervalSeconds: z.number().describe('The longest that it ever waits, when the budget of the day is spent'),
  })
  .meta({ id: 'AnchorPace', examples: [{ intervalSeconds: 5, maxIntervalSeconds: 20 }] });

export function presentAnchorProof({
  factId,
  text,
  leaf,
  path,
  root,
  transaction,
  replaced,
}: AnchorProof): z.input<typeof AnchorProofResource> {
  return {
    factId,
    fact: text,
    leaf,
    path: [...path],
    root,
    txHash: transaction.hash,
    status: transaction.state,
    blockHeight: transaction.blockHeight,
    replaced: [...replaced],
  };
}
