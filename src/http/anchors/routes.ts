import { z } from 'zod';
import { readAnchorProof } from '../../services/anchors/read-anchor-proof.ts';
import { ok } from '../../server/route-response.ts';
import { route } from '../../server/context.ts';
import { Enveloped, enveloped } from '../../server/envelope.ts';
import { ResourceId } from '../../server/fields.ts';
import { AnchorProofResource, presentAnchorProof } from './response.ts';

export const getAnchorProofRoute = route({
  method: 'get',
  path: '/anchors/:factId/proof',
  operationId: 'readAnchorProof',
  summary: 'The inclusion proof of an anchored fact: its path to the Merkle root on the ledger',
  description:
    'To verify it, compute `leaf` as blake2b-256 of the byte 0x00 and `fact`. Then combine it with each element of ' +
    '`path`: a parent is blake2b-256 of the byte 0x01, the left and the right node. The result must equal `root`, ' +
    'which is in the metadata of `txHash` under label 868483.',
  permission: {
    unrestricted:
      'Anyone may verify a fact, so no permission is needed; facts of a private vault return 404 to others than its own',
  },
  params: z.strictObject({ factId: ResourceId }),
  responses: { 200: Enveloped(AnchorProofResource) },
  errors: ['ANCHOR_NOT_FOUND'],
  async handle({ params, caller }, context) {
    const proof = await readAnchorProof(context, caller, params.factId);
    return ok(enveloped(presentAnchorProof(proof), await context.readingTime()));
  },
});
