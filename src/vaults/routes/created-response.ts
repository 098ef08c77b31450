import { z } from 'zod';
import { printDuration } from '../../platform/units/duration.ts';
import { isoText } from '../../platform/units/instant.ts';
import type { Span } from '../rules/window.ts';
import type { CreatedVault } from '../create-vault.ts';
import { tokenAddressText } from '../../platform/http/descriptions.ts';
import { DurationPrinted, Timestamp } from '../../platform/http/fields.ts';
import { inSpecForm, presentPending, SpecTransaction } from '../../transactions/routes/response.ts';
import { windowEndText, windowStartText } from './window-response.ts';

const CreatedWindow = z.object({
  duration: DurationPrinted,
  start_time: Timestamp.describe(windowStartText),
  end_time: Timestamp.describe(windowEndText),
});

/** The spec's response to the creation of a vault. */
export const VaultCreated = z.object({
  vault_id: z.uuid(),
  vault_name: z.string(),
  transaction: SpecTransaction,
  investment_window: CreatedWindow,
  asset_window: CreatedWindow,
  contract_address: z.string().describe('`contractAddress` of the vault'),
  token_address: z.string().nullable().describe(tokenAddressText),
  status: z.literal('created'),
  created_at: Timestamp,
});

export function presentCreatedVault({ vault, windows, transaction }: CreatedVault) {
  return {
    vault_id: vault.id,
    vault_name: vault.name,
    transaction: inSpecForm(presentPending(transaction.hash)),
    investment_window: presentCreatedWindow(windows.investment),
    asset_window: presentCreatedWindow(windows.asset),
    contract_address: vault.contractAddress,
    token_address: vault.ftUnit,
    status: 'created',
    created_at: isoText(vault.createdAt),
  } as const;
}

function presentCreatedWindow({ startsAt, endsAt }: Span) {
  return {
    duration: printDuration(Math.floor((endsAt - startsAt) / 1000)),
    start_time: isoText(startsAt),
    end_time: isoText(endsAt),
  };
}
