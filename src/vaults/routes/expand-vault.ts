import { z } from 'zod';
import { AssetResource } from '../../assets/routes/response.ts';
import { listAssetsRoute } from '../../assets/routes/list-assets.ts';
import { listInvestmentsRoute } from '../../investments/routes/list-investments.ts';
import { InvestmentResource } from '../../investments/routes/response.ts';
import { listProposalsRoute } from '../../proposals/routes/list-proposals.ts';
import { ProposalResource } from '../../proposals/routes/resource.ts';
import type { ApiContext } from '../../api-context.ts';
import { Pagination } from '../../platform/http/envelope.ts';
import type { RequestScope } from '../../platform/http/route.ts';
import { listStakesRoute } from '../../staking/routes/list-stakes.ts';
import { StakeResource } from '../../staking/routes/response.ts';

const lists = {
  assets: listAssetsRoute,
  investments: listInvestmentsRoute,
  proposals: listProposalsRoute,
  stakes: listStakesRoute,
} as const;

type Expansion = keyof typeof lists;

/** What a vault can be read with. */
export const expansions = Object.keys(lists) as [Expansion, ...Expansion[]];

const page = <Item extends z.ZodType>(item: Item, path: string) =>
  z
    .object({ items: z.array(item), pagination: Pagination })
    .describe(`The first page of \`GET /api/v1/vaults/{vaultId}/${path}\`, which continues with \`pagination.next\``)
    .optional();

export const ExpandedLists = z.object({
  assets: page(AssetResource, 'assets'),
  investments: page(InvestmentResource, 'investments'),
  proposals: page(ProposalResource, 'proposals'),
  stakes: page(StakeResource, 'stakes'),
});

/** Reads the first page of each list as its own operation does, with its permission. Throws what the operation throws. */
export async function expandVault(
  context: ApiContext,
  vaultId: string,
  names: readonly Expansion[],
  scope: RequestScope,
): Promise<z.input<typeof ExpandedLists>> {
  const pages = await Promise.all(
    names.map(async (name) => {
      const { body } = await lists[name].respond({ params: { vaultId }, query: {}, body: {} }, scope, context);
      return [name, firstPage(name, body as ListBody)] as const;
    }),
  );
  return Object.fromEntries(pages);
}

/** The spec's list of assets has its pagination in `data`, the additive lists in `metadata`. */
interface ListBody {
  readonly data: Readonly<Record<string, unknown>>;
  readonly metadata?: { readonly pagination: unknown };
}

function firstPage(name: Expansion, { data, metadata }: ListBody) {
  return { items: data[name], pagination: metadata?.pagination ?? data['pagination'] };
}
