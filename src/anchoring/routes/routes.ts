import { z } from 'zod';
import { readAnchorProof } from '../read-anchor-proof.ts';
import { ok } from '../../platform/http/route-response.ts';
import { route } from '../../api-context.ts';
import { Enveloped, enveloped } from '../../platform/http/envelope.ts';
import { ResourceId } from '../../platform/http/fields.ts';
import { AnchorPace, AnchorProofResource, presentAnchorProof } from './response.ts';

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

export const getAnchorPaceRoute = route({
  method: 'get',
  path: '/anchors/pace',
  operationId: 'readAnchorPace',
  summary: 'How long a fact waits for its anchor, at present and at most',
  description:
    'A response that names an anchor (a vote, an endorsement, a change of a vault) comes when its batch is sealed. After a pause that is at ' +
    'once. Otherwise facts wait for each other, the longer the more the anchors of the day have cost, and no longer than `intervalSeconds`: ' +
    'that is how long such a request may take. What has a deadline does not wait past it.',
  success:
    'The waits in the process that has answered; another process of the service may be at another `intervalSeconds`',
  permission: { unrestricted: 'Says nothing about vaults or callers' },
  responses: { 200: Enveloped(AnchorPace) },
  errors: [],
  async handle(_request, context) {
    const { intervalMs, maxIntervalMs } = context.anchors.cost();
    const pace = { intervalSeconds: intervalMs / 1000, maxIntervalSeconds: maxIntervalMs / 1000 };
    return ok(enveloped(pace, await context.readingTime()));
  },
});
