import { z } from 'zod';
import { parseWalletAddress } from '../../chain/scripts/address.ts';
import type { CosigningRules } from '../../domain/execution/cosigning.ts';
import type { Instant } from '../../domain/units/instant.ts';
import type { Page } from '../../store/page.ts';
import { stakersAbove } from '../../store/stakers.ts';
import type { Vault } from '../../store/vaults.ts';
import { ok } from '../server/answer.ts';
import { type ApiContext, route } from '../server/context.ts';
import { EnvelopedPage, envelopedPage } from '../server/envelope.ts';
import { cosigningRules } from '../../services/executions/eligibility.ts';
import { BaseUnitsText, ResourceId } from '../server/fields.ts';
import { cosignerExample } from './examples.ts';
import { pageQuery, paginationOf } from '../server/paging.ts';

import { wholeTokens } from '../stakes/response.ts';
import { requireReadableProposal } from '../../services/proposals/readable-proposal.ts';

const CosignerResource = z
  .object({
    keyHash: z.string().describe('Of its payment key, which signs; addresses with the same key are one cosigner'),
    wallet: z
      .string()
      .nullable()
      .describe('The address to name; null where the vault has registered keys: name an address of that key'),
    staked: z.number().describe('Whole tokens, staked and final, that make it eligible; 0 where keys are registered'),
    stakedBaseUnits: BaseUnitsText,
  })
  .meta({ id: 'Cosigner', examples: [cosignerExample] });

const { page, limit } = pageQuery(['staked']);

export const getCosigners = route({
  method: 'get',
  path: '/proposals/:proposalId/cosigners',
  operationId: 'listCosigners',
  summary: 'Who may cosign the execution of a proposal now, who has staked most first',
  description:
    'Any `required` of them are named by `POST /api/v1/proposals/{proposalId}/executions`. The keys that the vault has ' +
    'registered, or else every wallet whose final stakes are at least `cosigningThreshold` of the supply; it is judged ' +
    'again when the execution is frozen.',
  permission: { resource: 'proposal', action: 'READ' },
  params: z.strictObject({ proposalId: ResourceId }),
  query: z.strictObject({ page, limit }),
  responses: {
    200: EnvelopedPage(
      z.object({
        required: z.int().describe('How many keys an execution has to name; all it names sign'),
        cosigners: z.array(CosignerResource),
      }),
    ),
  },
  errors: ['PROPOSAL_NOT_FOUND'],
  async handle({ params, query, caller }, context) {
    const governed = await requireReadableProposal(context, caller, params.proposalId);
    const now = await context.readingTime();
    const rules = cosigningRules(governed);
    const asked = { limit: query.limit, offset: (query.page - 1) * query.limit };
    const { cosigners, total } =
      rules.registered.length > 0
        ? registeredKeys(rules.registered, asked)
        : await largeStakers(context, governed.vault, { ...rules, ...asked }, now);
    return ok(envelopedPage({ required: rules.required, cosigners }, paginationOf(query, total), now));
  },
});

type Cosigners = { cosigners: z.input<typeof CosignerResource>[]; total: number };
type Asked = Pick<Page<string>, 'limit' | 'offset'>;

function registeredKeys(keyHashes: readonly string[], { limit, offset }: Asked): Cosigners {
  const shown = keyHashes.slice(offset, offset + limit);
  const cosigners = shown.map((keyHash) => ({ keyHash, wallet: null, staked: 0, stakedBaseUnits: '0' }));
  return { cosigners, total: keyHashes.length };
}

async function largeStakers(
  { db, networkId }: ApiContext,
  { id, terms: { ftDecimals } }: Vault,
  asked: CosigningRules & Asked,
  now: Instant,
): Promise<Cosigners> {
  const { stakers, total } = await stakersAbove(db, id, asked, now);
  const cosigners = stakers.map(({ wallet, power }) => ({
    keyHash: parseWalletAddress(wallet, networkId).paymentKeyHash,
    wallet,
    staked: wholeTokens(power, ftDecimals),
    stakedBaseUnits: power.toString(),
  }));
  return { cosigners, total };
}
