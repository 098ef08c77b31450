import { z } from 'zod';
import { quote } from '../../domain/settlement/distribution.ts';
import { lovelace } from '../../domain/units/money.ts';
import { printTokenAmount } from '../../domain/units/token-amount.ts';
import { requireOpen, windowRefusal } from '../../domain/vault/window.ts';
import { settlementInput } from '../../services/settlements/settlement-input.ts';
import { getWindows } from '../../store/windows.ts';
import { ok } from '../server/answer.ts';
import { TerminationReasonEnum } from '../vaults/enums.ts';
import { route } from '../server/context.ts';
import { Enveloped, enveloped } from '../server/envelope.ts';
import { AmountText, BaseUnitsText, LovelaceText, ResourceId } from '../server/fields.ts';
import { settlementFigureTexts } from '../server/descriptions.ts';
import { requireVaultNotEnded } from '../../services/vaults/require-vault.ts';
import { quoteExample } from './examples.ts';
import { requireReadableVault, vaultAttributes } from '../../services/vaults/vault-access.ts';

const Quote = z
  .object({
    lovelace: AmountText.describe('Lovelace that would be invested'),
    ft: z.string().describe('Whole tokens; 0 when the vault would fail as it stands'),
    ftBaseUnits: BaseUnitsText,
    settles: z.boolean().describe('Whether the vault would settle as it stands'),
    reason: TerminationReasonEnum.nullable().describe(
      'Why the vault would fail as it stands; null when it would settle',
    ),
    figures: z
      .object({
        value: AmountText.describe(settlementFigureTexts.value),
        invested: AmountText.describe(settlementFigureTexts.invested),
        fdv: AmountText.describe(settlementFigureTexts.fdv),
        reserveRequired: AmountText.describe(settlementFigureTexts.reserveRequired),
        reserveMet: z.boolean().describe('Whether as much is invested'),
        lpLovelace: AmountText.describe(settlementFigureTexts.lpLovelace),
        lpFt: AmountText.describe(settlementFigureTexts.lpFt),
      })
      .describe('Of the settlement with this investment; lovelace and base units'),
  })
  .meta({ id: 'Quote', examples: [quoteExample] });

export const getQuote = route({
  method: 'get',
  path: '/vaults/:vaultId/quote',
  operationId: 'readQuote',
  summary: 'What an investment would bring if the vault settled right after it',
  description:
    'Computed as the settlement itself is, over what the vault holds now and this investment. `settles` is ' +
    'false, with the `reason`, where the vault would fail as it stands.',
  permission: { resource: 'vault', action: 'READ', facts: vaultAttributes },
  params: z.strictObject({ vaultId: ResourceId }),
  query: z.strictObject({ lovelace: LovelaceText }),
  responses: { 200: Enveloped(Quote) },
  errors: ['VAULT_NOT_FOUND', 'VAULT_ALREADY_ENDED', 'INVESTMENT_WINDOW_CLOSED'],
  async handle({ params, query, caller }, context) {
    const { db, readingTime, lpMinimum } = context;
    const vault = await requireReadableVault(context, caller, params.vaultId);
    const now = await readingTime();
    requireVaultNotEnded(vault);
    const { investment: window } = await getWindows(db, vault.id);
    if (windowRefusal(window, now) === 'INVESTMENT_WINDOW_CLOSED') requireOpen(window, now);

    const amount = lovelace(BigInt(query.lovelace));
    const { ft, distribution } = quote(await settlementInput(db, vault, lpMinimum), amount, now);
    const data = {
      lovelace: amount.toString(),
      ft: printTokenAmount(ft, vault.terms.ftDecimals),
      ftBaseUnits: ft.toString(),
      settles: distribution.kind === 'settles',
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
    return ok(enveloped(data, now));
  },
});
