import { z } from 'zod';
import { route } from '../api-context.ts';
import {
  optionalWalletText,
  unsignedTransactionText,
  BaseUnitsText,
  ResourceId,
  TokenAmount,
  AddressFilter,
  CaseInsensitive,
} from '../platform/http/fields.ts';
import {
  Enveloped,
  enveloped,
  EnvelopedPage,
  envelopedPage,
  pageOf,
  pageQuery,
  paginationOf,
} from '../platform/http/envelope.ts';
import { created, ok } from '../platform/http/route.ts';
import { runOnce } from '../platform/http/run-once.ts';
import { claim, prefetchClaim, listVaultClaims, requireReadableClaim } from './claim.ts';
import { getListedClaim } from './queries/claims.ts';
import { claimStatuses } from './rules/claims.ts';
import { ClaimResource, presentClaim } from './schemas.ts';
import { exampleWallet } from '../transactions/routes/examples.ts';
import { OperationTransaction, presentBuilt } from '../transactions/routes/response.ts';
import { FUNDS_BODY_LIMIT, namedFundsErrors, payerFields, payerOf } from '../transactions/routes/wallet-funds.ts';

const ClaimStarted = ClaimResource.extend({
  stakedBaseUnits: BaseUnitsText.describe(
    'Base units that the wallet has staked in the vault; it can claim for them once they are unstaked',
  ),
  transaction: OperationTransaction,
});

const claimRoute = route({
  method: 'post',
  path: '/vaults/:vaultId/claims',
  operationId: 'claim',
  summary: 'Claim a share of a vault',
  description: [
    'Returns tokens of a vault that ends, and pays their share of its pot in the same transaction. Without `amount`, the wallet claims for all tokens that it has; it may claim several times for parts of them. The payout is the ' +
      'part of the pot that the tokens are of all that circulate, rounded down to a lovelace; the wallet pays the fee. Nobody’s share ' +
      'becomes smaller when others claim first. Whoever claims gives up their part of the assets that the vault still has: what they are ' +
      'sold for later is shared by those who claim after that. A claim replaces an unsigned one of the same wallet from the same vault.',
    unsignedTransactionText,
    'When many claim at once, another claim may take the output of the pot before this one is signed: CLAIM_OUTPUT_TAKEN then answers ' +
      'the witnesses, and the wallet claims again.',
    optionalWalletText('walletAddress'),
  ].join(' '),
  success: 'The claim is recorded; it is paid when its signed transaction is in a block',
  examples: { all: { walletAddress: exampleWallet }, part: { walletAddress: exampleWallet, amount: '2500.5' } },
  bodyLimit: FUNDS_BODY_LIMIT,
  permission: { resource: 'claim', action: 'CREATE' },
  params: z.strictObject({ vaultId: ResourceId }),
  body: z.strictObject({ ...payerFields, amount: TokenAmount.optional() }).meta({ id: 'ClaimShare' }),
  responses: { 201: Enveloped(ClaimStarted) },
  errors: [
    'VAULT_NOT_FOUND',
    'CLAIMS_NOT_OPEN',
    'CLAIMS_CLOSED',
    'CLAIMS_AWAIT_SALE',
    'INVALID_QUANTITY',
    'CLAIM_TOO_SMALL',
    'CLAIM_EXCEEDS_SUPPLY',
    'POT_IN_USE',
    'ASSET_NOT_IN_WALLET',
    'INSUFFICIENT_FUNDS',
    ...namedFundsErrors,
    'INVALID_ADDRESS',
    'WRONG_NETWORK',
    'INSUFFICIENT_PERMISSIONS',
    'LEDGER_UNAVAILABLE',
    'SERVICE_NOT_READY',
  ],
  errorFields: {
    CLAIM_TOO_SMALL: 'amount',
    CLAIM_EXCEEDS_SUPPLY: 'amount',
    ASSET_NOT_IN_WALLET: 'amount',
    INSUFFICIENT_FUNDS: 'walletAddress',
  },
  async handle({ params, body, caller, correlationId, idempotency }, api) {
    const holder = await payerOf(api, caller, body);
    const prefetch = await prefetchClaim(api, { ...params, caller, holder });
    return runOnce(api, idempotency, async (context) => {
      const input = { ...params, amount: body.amount, holder, caller, correlationId };
      const { claimId, staked, transaction, expiresAt } = await claim(context, api, input, prefetch);
      const data = {
        ...presentClaim(await getListedClaim(context.tx, claimId)),
        stakedBaseUnits: staked.toString(),
        transaction: presentBuilt(transaction, holder.signer, expiresAt),
      };
      return created(enveloped(data, context.now));
    });
  },
});

const listClaimsRoute = route({
  method: 'get',
  path: '/vaults/:vaultId/claims',
  operationId: 'listClaims',
  summary: 'List the claims from the pot of a vault that ends',
  description:
    'Amounts are in whole tokens; the field in base units is exact. Claims that expired are listed only with status EXPIRED: a wallet ' +
    'may replace a claim that it has not signed as often as it likes.',
  success: 'A page of claims',
  permission: { resource: 'claim', action: 'READ' },
  params: z.strictObject({ vaultId: ResourceId }),
  query: z.strictObject({
    ...pageQuery(['createdAt', 'amount', 'payout', 'status']),
    status: CaseInsensitive(claimStatuses).optional(),
    wallet: AddressFilter.optional(),
  }),
  responses: { 200: EnvelopedPage(z.object({ claims: z.array(ClaimResource) })) },
  errors: ['VAULT_NOT_FOUND'],
  async handle({ params: { vaultId }, query, caller }, api) {
    const { status, wallet } = query;
    const page = pageOf(query, 'createdAt:asc');
    const { claims, count } = await listVaultClaims(api, caller, { vaultId, status, wallet }, page);
    const data = { claims: claims.map(presentClaim) };
    return ok(envelopedPage(data, paginationOf(query, count), await api.readingTime()));
  },
});

const readClaimRoute = route({
  method: 'get',
  path: '/vaults/:vaultId/claims/:claimId',
  operationId: 'readClaim',
  summary: 'Read a claim from the pot of a vault that ends',
  description:
    'A claim is paid while its transaction is in a block. `payoutLovelace` is what the transaction pays; the fee, which the wallet pays, is in ' +
    '`GET /api/v1/transactions/{hash}`.',
  permission: { resource: 'claim', action: 'READ' },
  params: z.strictObject({ vaultId: ResourceId, claimId: ResourceId }),
  responses: { 200: Enveloped(ClaimResource) },
  errors: ['CLAIM_NOT_FOUND'],
  async handle({ params, caller }, api) {
    const listed = await requireReadableClaim(api, caller, params);
    return ok(enveloped(presentClaim(listed), await api.readingTime()));
  },
});

/** The operations on claims, in the order of the OpenAPI document. */
export const claimRoutes = [claimRoute, listClaimsRoute, readClaimRoute];
