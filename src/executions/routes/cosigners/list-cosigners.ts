import { z } from 'zod';
import { type EligibleCosigner, listCosigners } from '../../list-cosigners.ts';
import { cosignerExample } from './examples.ts';
import { ok } from '../../../platform/http/route-response.ts';
import { route } from '../../../api-context.ts';
import { EnvelopedPage, envelopedPage } from '../../../platform/http/envelope.ts';
import { BaseUnitsText, ResourceId } from '../../../platform/http/fields.ts';
import { pageOf, pageQuery, paginationOf } from '../../../platform/http/paging.ts';
import { wholeTokens } from '../../../staking/routes/response.ts';

const CosignerResource = z
  .object({
    keyHash: z.string().describe('Hash of its payment key; addresses with the same key are one cosigner'),
    wallet: z
      .string()
      .nullable()
      .describe('The address to name; null if the vault has registered keys: name any address with that key'),
    staked: z
      .number()
      .describe('Staked and final FT in whole tokens, which make it eligible; 0 if the vault has registered keys'),
    stakedBaseUnits: BaseUnitsText,
  })
  .meta({ id: 'Cosigner', examples: [cosignerExample] });

// Stakes change all the time, so there are only numbered pages.
const { page, limit, sort } = pageQuery(['staked']);

export const listCosignersRoute = route({
  method: 'get',
  path: '/proposals/:proposalId/cosigners',
  operationId: 'listCosigners',
  summary: 'List who may cosign the execution of a proposal now',
  description:
    'These are the keys that the vault registered or, if it registered none, all wallets whose final stakes are at ' +
    'least `cosigningThreshold` of the supply (of what nobody has returned, while holders of a vault that ends claim), the largest ' +
    'stake first by default. ' +
    '`POST /api/v1/proposals/{proposalId}/executions` names at least `required` of them, and checks again that they are eligible.',
  permission: { resource: 'proposal', action: 'READ' },
  params: z.strictObject({ proposalId: ResourceId }),
  query: z.strictObject({ page, limit, sort }),
  responses: {
    200: EnvelopedPage(
      z.object({
        required: z
          .int()
          .describe('How many cosigners an execution has to name at least; this many of those it names have to sign'),
        cosigners: z.array(CosignerResource),
      }),
    ),
  },
  errors: ['PROPOSAL_NOT_FOUND'],
  async handle({ params: { proposalId }, query, caller }, context) {
    const range = pageOf(query, 'staked:desc');
    const listed = await listCosigners(context, caller, { proposalId, range });
    const { required, count, ftDecimals, now } = listed;
    const cosigners = listed.cosigners.map((cosigner) => presentCosigner(cosigner, ftDecimals));
    return ok(envelopedPage({ required, cosigners }, paginationOf(query, count), now));
  },
});

function presentCosigner({ keyHash, wallet, staked }: EligibleCosigner, ftDecimals: number) {
  return { keyHash, wallet, staked: wholeTokens(staked, ftDecimals), stakedBaseUnits: staked.toString() };
}
