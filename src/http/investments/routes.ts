import { z } from 'zod';
import { investmentStatuses } from '../../domain/investment/investment.ts';
import { isoText } from '../../domain/units/instant.ts';
import { lovelace } from '../../domain/units/money.ts';
import { listInvestments } from '../../store/vault-investments.ts';
import { created, ok } from '../server/answer.ts';
import { InvestmentReleaseReasonEnum, InvestmentStatusEnum } from './enums.ts';
import { route } from '../server/context.ts';
import { Enveloped, enveloped, EnvelopedPage, envelopedPage } from '../server/envelope.ts';
import {
  AddressFilter,
  AddressText,
  AmountText,
  LovelaceAmount,
  ResourceId,
  Timestamp,
  CaseInsensitive,
} from '../server/fields.ts';
import { deferError } from '../../services/defer-error.ts';
import { actorOf } from '../../services/actor.ts';
import { invest } from '../../services/investments/invest.ts';
import { unsignedTransactionText, optionalWalletText } from '../server/descriptions.ts';
import { pageOf, pageQuery, paginationOf } from '../server/paging.ts';
import { presentBuilt, WalletTransaction } from '../transactions/response.ts';
import { investmentExample } from './examples.ts';
import { requireReadableVault } from '../../services/vaults/vault-access.ts';
import { prefetchWallet } from '../../services/transactions/wallet-prefetch.ts';

const OneVault = z.strictObject({ vaultId: ResourceId });

const Investment = z.object({
  investmentId: z.uuid(),
  vaultId: z.uuid(),
  walletAddress: z.string(),
  lovelace: AmountText.describe('Lovelace that are invested'),
  deliveryDeposit: AmountText.describe('Lovelace beside them, which pay for the way; what is left of them returns'),
  status: InvestmentStatusEnum,
  releaseReason: InvestmentReleaseReasonEnum.nullable().describe('Null unless it is REFUNDED or EXPIRED'),
  createdAt: Timestamp,
});

export const postInvestment = route({
  method: 'post',
  path: '/vaults/:vaultId/investments',
  operationId: 'invest',
  summary: 'Invest ADA in a vault while its investment window is open',
  description: [
    'At least 5 ADA.',
    unsignedTransactionText,
    'The transaction also carries `deliveryDeposit` lovelace, which pay for the way on or back; what is left ' +
      'of them returns.',
    optionalWalletText('walletAddress'),
  ].join(' '),
  answers: 'The investment is recorded as PENDING; it counts once its signed transaction is in a block',
  examples: { hundredAda: { lovelace: 100_000_000 } },
  permission: { resource: 'investment', action: 'CREATE' },
  params: OneVault,
  body: z.strictObject({ walletAddress: AddressText.optional(), lovelace: LovelaceAmount }).meta({ id: 'Invest' }),
  responses: { 201: Enveloped(Investment.extend({ transaction: WalletTransaction })) },
  errors: [
    'VAULT_NOT_FOUND',
    'VAULT_ALREADY_ENDED',
    'INVESTMENT_WINDOW_NOT_OPEN',
    'INVESTMENT_WINDOW_CLOSED',
    'INVESTOR_NOT_WHITELISTED',
    'INVESTMENT_TOO_SMALL',
    'INSUFFICIENT_FUNDS',
    'INVALID_ADDRESS',
    'WRONG_NETWORK',
    'INSUFFICIENT_PERMISSIONS',
    'LEDGER_UNAVAILABLE',
    'SERVICE_NOT_READY',
  ],
  async handle({ params, body, caller, correlationId, idempotency }, context) {
    const investor = await actorOf(context, caller, body.walletAddress, 'walletAddress');
    const facts = await deferError(prefetchWallet(context, investor.address));
    const amount = lovelace(BigInt(body.lovelace));
    const answer = await context.unitOfWork((work) =>
      idempotency.once(work.tx, async () => {
        const wish = { ...params, lovelace: amount, investor, caller, correlationId };
        const { investment, transaction, expiresAt } = await invest(work, context, wish, facts);
        const data = {
          investmentId: investment.id,
          vaultId: investment.vaultId,
          walletAddress: investment.wallet,
          lovelace: investment.lovelace.toString(),
          deliveryDeposit: investment.deliveryDeposit.toString(),
          status: 'PENDING',
          releaseReason: null,
          createdAt: isoText(investment.createdAt),
          transaction: presentBuilt(transaction, investor.signer, expiresAt),
        } as const;
        return created(enveloped(data, work.now));
      }),
    );
    context.outboxRelay.deliver();
    return answer;
  },
});

const ListedInvestment = Investment.extend({
  transactionHash: z.string().describe('Of the transaction that brings it'),
}).meta({ id: 'Investment', examples: [investmentExample] });

export const getInvestments = route({
  method: 'get',
  path: '/vaults/:vaultId/investments',
  operationId: 'listInvestments',
  summary: 'List the investments in a vault',
  description:
    '`lovelace` is what was invested; the delivery deposit lies beside it. Those that never came in are listed with status EXPIRED alone.',
  answers: 'A page of investments',
  permission: { resource: 'investment', action: 'READ' },
  params: OneVault,
  query: z.strictObject({
    ...pageQuery(['createdAt', 'lovelace', 'status']),
    status: CaseInsensitive(investmentStatuses).optional(),
    walletAddress: AddressFilter.optional(),
  }),
  responses: {
    200: EnvelopedPage(z.object({ investments: z.array(ListedInvestment) })),
  },
  errors: ['VAULT_NOT_FOUND'],
  async handle({ params, query, caller }, context) {
    const { id: vaultId } = await requireReadableVault(context, caller, params.vaultId);
    const now = await context.readingTime();
    const page = pageOf(query, 'createdAt:asc');
    const { investments, total } = await listInvestments(
      context.db,
      { vaultId, status: query.status, wallet: query.walletAddress },
      page,
    );
    const presented = investments.map(({ investment, transactionHash }) => ({
      investmentId: investment.id,
      vaultId,
      walletAddress: investment.wallet,
      lovelace: investment.lovelace.toString(),
      deliveryDeposit: investment.deliveryDeposit.toString(),
      status: investment.status,
      releaseReason: investment.releaseReason,
      createdAt: isoText(investment.createdAt),
      transactionHash,
    }));
    return ok(envelopedPage({ investments: presented }, paginationOf(query, total), now));
  },
});
