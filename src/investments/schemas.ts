import { z } from 'zod';
import type { NetworkId } from '../cardano/transaction.ts';
import type { DepositGuard } from '../assets/queries/deposits.ts';
import type { ListedInvestment, NewInvestment } from './queries/investments.ts';
import type { InvestmentQuote } from './quotes.ts';
import type { CurrentBounds } from './read-investments.ts';
import { investmentReleaseReasons, investmentStatuses, defaultMinVaultValue } from './rules.ts';
import { settlementFigureTexts, enumSchema, AmountText, Timestamp, BaseUnitsText } from '../platform/http/fields.ts';
import { isoText } from '../platform/units/time.ts';
import { type Lovelace, printTokenAmount } from '../platform/units/money.ts';
import { returnReasons } from '../settlement/rules/deposits.ts';
import { exampleDepositScript, investor } from '../transactions/routes/examples.ts';
import { depositOwnerScript, OwnerScript, type WithOwnerScript } from '../transactions/routes/owner-script.ts';
import { TerminationReasonEnum } from '../vaults/routes/enums.ts';

const InvestmentStatusEnum = enumSchema('InvestmentStatus', investmentStatuses, {
  PENDING: 'its transaction waits for its signature or for a block',
  CONFIRMED: 'its transaction is in a block, and the investment counts',
  SETTLED: 'its tokens were delivered',
  REFUNDED: 'returned to its wallet',
  EXPIRED: 'never reached the ledger',
});

const InvestmentReleaseReasonEnum = enumSchema('InvestmentReleaseReason', investmentReleaseReasons, {
  expired: 'its transaction was not signed or not in a block in time',
  failed: 'the ledger rejected its transaction',
  refunded: 'returned because the vault failed',
  reclaimed: 'taken back by its owner after `settlesBy`, without the platform',
  removed: 'taken back by its investor while the investment window was open',
  value_below_bound: 'returned by the settlement, because the assets were worth less than its `minVaultValue`',
  fdv_above_bound: 'returned by the settlement, because the FDV was higher than its `maxFdv`',
  share_below_one_unit: 'returned by the settlement, because its share was less than one base unit',
});

export const ReturnReasonEnum = enumSchema('ReturnReason', returnReasons, {
  value_below_bound: 'the assets are worth less than its `minVaultValue`',
  fdv_above_bound: 'the FDV is higher than its `maxFdv`',
  share_below_one_unit: 'its share is less than one base unit',
  share_of_value_capped: 'an asset: it would count with less than 80 % of its value under `assetSettings.maxShare`',
});

// Recorded on a development stack.

const investmentExample = {
  investmentId: '01a1ffab-8fe5-717c-bb18-74a06a2368f0',
  vaultId: '01a1ffab-8344-7827-bd78-57c678beaaf0',
  walletAddress: investor,
  lovelace: '200000000',
  deliveryDeposit: '2000000',
  minVaultValue: '520400000',
  maxFdv: '500000000',
  boundHolds: true,
  fdvBoundHolds: true,
  status: 'CONFIRMED',
  releaseReason: null,
  createdAt: '2026-11-22T19:54:10.411Z',
  ownerScript: exampleDepositScript(investor),
  transactionHash: '51c3c49a7e7ebdc2737875ddea5df2b87a45460923bdd22e27a096e5c0f2703b',
};

/** What lists and the response to a new investment share. */
export const InvestmentFields = z.object({
  investmentId: z.uuid(),
  vaultId: z.uuid(),
  walletAddress: z.string(),
  lovelace: AmountText.describe('Invested lovelace.'),
  deliveryDeposit: AmountText.describe(
    'Lovelace sent with the investment. It pays for the delivery or return, and the wallet gets the rest back.',
  ),
  minVaultValue: AmountText.describe(
    "Minimum value of the vault's assets at the settlement, in lovelace, for the investment to count. 0: no limit.",
  ),
  maxFdv: AmountText.nullable().describe(
    'Maximum FDV at the settlement, in lovelace, for the investment to count. `null`: no limit.',
  ),
  status: InvestmentStatusEnum,
  releaseReason: InvestmentReleaseReasonEnum.nullable().describe(
    '`null` unless the investment is REFUNDED or EXPIRED.',
  ),
  createdAt: Timestamp,
  ownerScript: OwnerScript,
});

export const InvestmentResource = InvestmentFields.extend({
  boundHolds: z
    .boolean()
    .describe('Whether the assets of the vault are worth `minVaultValue` now, as the settlement counts them.'),
  fdvBoundHolds: z
    .boolean()
    .describe(
      'Whether the FDV is at most `maxFdv` now. It counts this investment and all before it: first those that ' +
        'accept a higher FDV, then smaller ones.',
    ),
  transactionHash: z.string().describe('Hash of the transaction that brings the investment.'),
}).meta({ id: 'Investment', examples: [investmentExample] });

/** The fields of an investment that never change. */
export function presentTerms(investment: NewInvestment, guard: DepositGuard, networkId: NetworkId) {
  return {
    investmentId: investment.id,
    vaultId: investment.vaultId,
    walletAddress: investment.wallet,
    lovelace: investment.lovelace.toString(),
    deliveryDeposit: investment.deliveryDeposit.toString(),
    minVaultValue: investment.minVaultValue.toString(),
    maxFdv: investment.maxFdv?.toString() ?? null,
    createdAt: isoText(investment.createdAt),
    ownerScript: depositOwnerScript(guard, investment.wallet, networkId),
  };
}

export function presentInvestment(
  { investment, guard, transactionHash }: ListedInvestment,
  { vaultValue, evaluated: { fdv, above } }: CurrentBounds,
  networkId: NetworkId,
): WithOwnerScript<z.input<typeof InvestmentResource>> {
  return {
    ...presentTerms(investment, guard, networkId),
    fdvBoundHolds:
      investment.returnReason !== 'fdv_above_bound' && !above.has(investment.id) && (investment.maxFdv ?? fdv) >= fdv,
    boundHolds: investment.minVaultValue <= vaultValue,
    status: investment.status,
    releaseReason: investment.releaseReason,
    transactionHash,
  };
}

// Recorded on a development stack.

const quoteExample = {
  lovelace: '200000000',
  ft: '475000',
  ftBaseUnits: '475000000000',
  settles: true,
  minVaultValue: '520400000',
  returnReason: null,
  reason: null,
  figures: {
    value: '650500000',
    invested: '200000000',
    fdv: '400000000',
    reserveRequired: '65050000',
    reserveMet: true,
    lpLovelace: '20000000',
    lpFt: '50000000000',
  },
};

export const QuoteResource = z
  .object({
    lovelace: AmountText.describe('Lovelace of the investment.'),
    ft: z.string().describe('Whole tokens. 0 if the vault would fail.'),
    ftBaseUnits: BaseUnitsText,
    settles: z.boolean().describe('Whether the vault would settle.'),
    minVaultValue: AmountText.describe('Default of `minVaultValue` for an investment made now, in lovelace.'),
    returnReason: ReturnReasonEnum.nullable().describe(
      'Reason why the investment would be returned although the vault settles, otherwise `null`.',
    ),
    reason: TerminationReasonEnum.nullable().describe('Reason why the vault would fail. `null` if it would settle.'),
    figures: z
      .object({
        value: AmountText.describe(settlementFigureTexts.value),
        invested: AmountText.describe(settlementFigureTexts.invested),
        fdv: AmountText.describe(settlementFigureTexts.fdv),
        reserveRequired: AmountText.describe(settlementFigureTexts.reserveRequired),
        reserveMet: z.boolean().describe('Whether `invested` is at least `reserveRequired`.'),
        lpLovelace: AmountText.describe(settlementFigureTexts.lpLovelace),
        lpFt: AmountText.describe(settlementFigureTexts.lpFt),
      })
      .describe('Totals of the settlement with this investment, in lovelace and base units.'),
  })
  .meta({ id: 'Quote', examples: [quoteExample] });

export function presentQuote(
  { ft, ftDecimals, returnReason, distribution }: InvestmentQuote,
  lovelace: Lovelace,
): z.input<typeof QuoteResource> {
  return {
    lovelace: lovelace.toString(),
    ft: printTokenAmount(ft, ftDecimals),
    ftBaseUnits: ft.toString(),
    settles: distribution.kind === 'settles',
    minVaultValue: defaultMinVaultValue(distribution.value).toString(),
    returnReason,
    reason: distribution.kind === 'fails' ? distribution.reason : null,
    figures: {
      value: distribution.value.toString(),
      invested: distribution.invested.toString(),
      fdv: distribution.fdv.toString(),
      reserveRequired: distribution.reserveRequired.toString(),
      reserveMet: distribution.reserveMet,
      lpLovelace: distribution.lpLovelace.toString(),
      lpFt: distribution.lpFt.toString(),
    },
  };
}
