import { z } from 'zod';
import { findVisibleFact, type VisibleFact } from './queries/anchor-batches.ts';
import { canonicalJson, type PathStep } from './rules/merkle.ts';
import { route } from '../api-context.ts';
import { Enveloped, enveloped } from '../platform/http/envelope.ts';
import { ServiceError } from '../platform/errors.ts';
import { ResourceId } from '../platform/http/fields.ts';
import { ok } from '../platform/http/route.ts';
import { TransactionStateEnum } from '../transactions/routes/enums.ts';
import { cosigner } from '../transactions/routes/examples.ts';
import { readerScope } from '../vaults/require-vault.ts';

// Recorded on a development stack.

export const proofExample = {
  factId: '01a1ffaf-3e8d-7664-8e97-53a02b4f9940',
  fact: canonicalJson({
    amount: '200000000000',
    castAt: '2026-11-28T19:58:24.717Z',
    decision: 'APPROVE',
    kind: 'vote_cast',
    proposalId: '01a1ffaf-3e29-7c0c-953f-430cfeaa4821',
    replaces: null,
    vaultId: '01a1ffab-8344-7827-bd78-57c678beaaf0',
    voteId: '01a1ffaf-3e8d-7664-8e97-53a02b4f9940',
    wallet: cosigner,
  }),
  leaf: 'e3624664a61081cc76de05ac9f56e3c276aa3c641e65b4be32b45d1e4f6d5552',
  path: [{ side: 'left', hash: 'fc5a5854fe33dfd33ceae8f3256bd46872c4c4f9a62487bf08c8fd4ddf1ac93b' }],
  root: '020f02c1e1ccdaf0c857f603f103f669532b94737dfb1146d2b4ab3e99f8dae4',
  txHash: 'a38664fc9e267c4a45f0ac4331ff4c0b5b9ea9bbe35ca6199f1a9579320047d7',
  status: 'confirmed',
  blockHeight: 734,
  replaced: [],
};

const Hex32 = z.string().regex(/^[0-9a-f]{64}$/);

/** Everything needed to verify with public data that a fact is on the ledger. */
const AnchorProofResource = z
  .object({
    factId: z.uuid(),
    fact: z.string().describe('Canonical JSON (RFC 8785) of the fact.'),
    leaf: Hex32.describe('blake2b-256(0x00 ‖ fact).'),
    path: z
      .array(
        z.object({
          side: z.enum(['left', 'right']).describe('Side of `hash` in the pair.'),
          hash: Hex32.describe('Hash of the sibling node.'),
        }),
      )
      .describe('Sibling nodes from the leaf to the root. A parent is blake2b-256(0x01 ‖ left ‖ right).'),
    root: Hex32.describe('Merkle root that `path` leads to. Compare it with the root in `txHash`.'),
    txHash: Hex32.describe('Transaction that carries the root, in its metadata under label 868483.'),
    status: TransactionStateEnum,
    blockHeight: z.int().nullable().describe('Block height. `null` while the transaction is in no block.'),
    replaced: z
      .array(Hex32)
      .describe('Hashes of earlier transactions with this root that can no longer reach a block, oldest first.'),
  })
  .meta({ id: 'AnchorProof', examples: [proofExample] });

/** The published latency of what is anchored. */
const AnchorPace = z
  .object({
    intervalSeconds: z.number().describe('Current longest wait of a fact for its batch, in seconds'),
    maxIntervalSeconds: z.number().describe('Longest possible wait in seconds, after the budget of the day is spent.'),
  })
  .meta({ id: 'AnchorPace', examples: [{ intervalSeconds: 5, maxIntervalSeconds: 20 }] });

function presentAnchorProof(
  { factId, text: fact, leaf, root, transaction, replaced }: VisibleFact,
  path: readonly PathStep[],
): z.input<typeof AnchorProofResource> {
  const { hash: txHash, state: status, blockHeight } = transaction;
  return { factId, fact, leaf, path: [...path], root, txHash, status, blockHeight, replaced: [...replaced] };
}

export const getAnchorProofRoute = route({
  method: 'get',
  path: '/anchors/:factId/proof',
  operationId: 'readAnchorProof',
  summary: 'Get the proof of an anchored fact',
  description:
    'Returns the path from the fact to the Merkle root on the ledger. To verify it:\n\n' +
    '1. Compute `leaf` as blake2b-256 of the byte 0x00 and `fact`.\n2. Combine it with each element of `path`: a ' +
    'parent is blake2b-256 of the byte 0x01, the left and the right node.\n3. Compare the result with `root`, and ' +
    'with the metadata of `txHash` under label 868483.',
  permission: {
    unrestricted: 'Anyone may verify a fact. Facts of a private vault return 404 to callers who cannot read it',
  },
  params: z.strictObject({ factId: ResourceId }),
  responses: { 200: Enveloped(AnchorProofResource) },
  errors: ['ANCHOR_NOT_FOUND'],
  async handle({ params, caller }, context) {
    const fact = await findVisibleFact(context.db, params.factId, readerScope(caller));
    if (!fact) throw new ServiceError('ANCHOR_NOT_FOUND');
    const proof = presentAnchorProof(fact, await context.batchPaths(fact));
    return ok(enveloped(proof, await context.readingTime()));
  },
});

export const getAnchorPaceRoute = route({
  method: 'get',
  path: '/anchors/pace',
  operationId: 'readAnchorPace',
  summary: 'Get the wait for anchors',
  description:
    'Returns how long a request may take that returns an anchor, such as a vote, an endorsement or a change of a ' +
    'vault. Such a request returns after its batch of facts is closed.\n\n' +
    'After a quiet time, a batch closes at once. Otherwise facts wait for each other, at most `intervalSeconds`. ' +
    "The wait grows with the cost of today's anchors. A fact with a deadline does not wait past it.",
  success: 'The waits in the process that responded. Other processes may have another `intervalSeconds`.',
  permission: { unrestricted: 'The response contains nothing about vaults or callers' },
  responses: { 200: Enveloped(AnchorPace) },
  errors: [],
  async handle(_request, context) {
    const { intervalMs, maxIntervalMs } = context.anchors.cost();
    const pace = { intervalSeconds: intervalMs / 1000, maxIntervalSeconds: maxIntervalMs / 1000 };
    return ok(enveloped(pace, await context.readingTime()));
  },
});
