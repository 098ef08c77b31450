import { z } from 'zod';
import { route } from '../api-context.ts';
import { ServiceError } from '../platform/errors.ts';
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
import { claim, prefetchClaim } from './claim.ts';
import { findListedClaim, getListedClaim, listClaims } from './queries/claims.ts';
import { claimStatuses } from './rules/claims.ts';
import { ClaimResource, presentClaim } from './schemas.ts';
import { exampleWallet } from '../transactions/routes/examples.ts';
import { OperationTransaction, presentBuilt } from '../transactions/routes/response.ts';
import { FUNDS_BODY_LIMIT, namedFundsErrors, payerFields, payerOf } from '../transactions/routes/wallet-funds.ts';
import { readerScope } from '../vaults/require-vault.ts';

const ClaimStarted = ClaimResource.extend({
  stakedBaseUnits: BaseUnitsText.describe(
    'Base units that the wallet has staked in the vault. It can claim for them after it has unstaked them.',
  ),
  transaction: OperationTransaction,
});

const claimRoute = route({
  method: 'post',
  path: '/vaults/:vaultId/claims',
  operationId: 'claim',
  summary: 'Claim a share of a vault',
  description: [
    'Returns tokens of a vault that ends, and pays their share of its pot in the same transaction. The payout is ' +
      'their part of all circulating tokens. The wallet pays the fee.',
    'Without `amount`, the wallet claims for all its tokens. Your share does not shrink if others claim ' +
      'first. You give up your part of assets that are sold later.',
    unsignedTransactionText,
    'If `addWitnesses` returns CLAIM_OUTPUT_TAKEN, claim again.',
    optionalWalletText('walletAddress'),
  ].join('\n\n'),
  success: 'The claim is recorded. It is paid when its signed transaction is in a block.',
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
  summary: 'List the claims of a vault',
  description:
    'Amounts are in whole tokens. The field in base units is exact. Expired claims are listed only with ' +
    '`status=EXPIRED`, because a wallet can replace an unsigned claim as often as it likes.',
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
    const listed = await listClaims(api.db, { vaultId, status, wallet }, readerScope(caller), page);
    if (!listed) throw new ServiceError('VAULT_NOT_FOUND');
    const data = { claims: listed.claims.map(presentClaim) };
    return ok(envelopedPage(data, paginationOf(query, listed.count), await api.readingTime()));
  },
});

const readClaimRoute = route({
  method: 'get',
  path: '/vaults/:vaultId/claims/:claimId',
  operationId: 'readClaim',
  summary: 'Get a claim',
  description:
    'A claim is paid while its transaction is in a block. `payoutLovelace` is the amount that the transaction ' +
    'pays. The wallet pays the fee, which `readTransaction` shows.',
  permission: { resource: 'claim', action: 'READ' },
  params: z.strictObject({ vaultId: ResourceId, claimId: ResourceId }),
  responses: { 200: Enveloped(ClaimResource) },
  errors: ['CLAIM_NOT_FOUND'],
  async handle({ params, caller }, api) {
    const listed = await findListedClaim(api.db, params, readerScope(caller));
    if (!listed) throw new ServiceError('CLAIM_NOT_FOUND');
    return ok(enveloped(presentClaim(listed), await api.readingTime()));
  },
});

/** The operations on claims, in the order of the OpenAPI document. */
export const claimRoutes = [claimRoute, listClaimsRoute, readClaimRoute];
