import { z } from 'zod';
import { blake2b256 } from '../../chain/blake2b.ts';
import { ServiceError } from '../../domain/errors.ts';
import { inclusionPath } from '../../domain/anchor/merkle.ts';
import { batchLeaves, findAnchoredFact } from '../../store/anchor-facts.ts';
import { replacedAnchors } from '../../store/anchor-batches.ts';
import { ok } from '../server/answer.ts';
import { TransactionStateEnum } from '../transactions/enums.ts';
import { route } from '../server/context.ts';
import { Enveloped, enveloped } from '../server/envelope.ts';
import { ResourceId } from '../server/fields.ts';
import { proofExample } from '../proposals/examples.ts';
import { mayReadVault } from '../../services/vaults/vault-access.ts';

const Hex32 = z.string().regex(/^[0-9a-f]{64}$/);

/** Everything it takes to check from public data that a fact is on the ledger. */
const AnchorProof = z
  .object({
    factId: z.uuid(),
    fact: z.string().describe('The canonical text (RFC 8785) whose hash is the leaf'),
    leaf: Hex32.describe('blake2b-256(0x00 ‖ fact)'),
    path: z
      .array(
        z.object({
          side: z.enum(['left', 'right']).describe('On which side of the node so far `hash` stands'),
          hash: Hex32.describe('The node beside it'),
        }),
      )
      .describe('From the leaf up; a node is blake2b-256(0x01 ‖ left ‖ right)'),
    root: Hex32.describe('What `path` leads to; compare it with the one in `txHash`'),
    txHash: Hex32.describe('The transaction that carries the root now, in its metadata under label 868483'),
    status: TransactionStateEnum,
    blockHeight: z.int().nullable().describe('Null while it is in no block'),
    replaced: z.array(Hex32).describe('Hashes that were to carry the root before and can no longer land, oldest first'),
  })
  .meta({ id: 'AnchorProof', examples: [proofExample] });

export const getAnchorProof = route({
  method: 'get',
  path: '/anchors/:factId/proof',
  operationId: 'readAnchorProof',
  summary: 'The way from an anchored fact to the Merkle root that stands on the ledger',
  description:
    'Hash `fact` to `leaf` (blake2b-256 of 0x00 and the text), go up `path` (blake2b-256 of 0x01, left and ' +
    'right), and compare with `root`, which stands in the metadata of `txHash` under label 868483.',
  params: z.strictObject({ factId: ResourceId }),
  responses: { 200: Enveloped(AnchorProof) },
  errors: ['ANCHOR_NOT_FOUND'],
  async handle({ params: { factId }, caller }, context) {
    const { db, readingTime } = context;
    const found = await findAnchoredFact(db, factId);
    if (!found || (found.vaultId !== null && !(await mayReadVault(context, caller, found.vaultId)))) {
      throw new ServiceError('ANCHOR_NOT_FOUND');
    }
    const { text: fact, leaf, root, batchId, position, transaction } = found;
    const [leaves, replaced] = await Promise.all([
      batchLeaves(db, batchId),
      replacedAnchors(db, batchId, transaction.id),
    ]);
    const proof = {
      factId,
      fact,
      leaf,
      path: [...inclusionPath(blake2b256, leaves, position)],
      root,
      txHash: transaction.hash,
      status: transaction.state,
      blockHeight: transaction.blockHeight,
      replaced,
    };
    return ok(enveloped(proof, await readingTime()));
  },
});
