import { z } from 'zod';
import type { Caller } from '../../access/rules.ts';
import type { WriteLocks } from '../../anchoring/anchors.ts';
import { type CustodyGuard, custodyScript } from '../../cardano/scripts/vault-scripts.ts';
import type { TransactionContext } from '../../platform/database/unit-of-work.ts';
import { tokenAddressText, DurationPrinted, Timestamp } from '../../platform/http/fields.ts';
import { enveloped } from '../../platform/http/envelope.ts';
import { printDuration, type Instant, isoText } from '../../platform/units/time.ts';
import { percentageNumber } from '../../platform/units/money.ts';
import { presentGovernance } from '../../proposals/routes/resource.ts';
import { presentTermination } from '../../termination/schemas.ts';
import { inSpecForm, presentPending, SpecTransaction } from '../../transactions/routes/response.ts';
import { type PresentedScript, presentScript, ScriptFields } from '../../transactions/routes/owner-script.ts';
import { presentAcceptedTypes, presentVaultTypeRules } from '../../types/schemas.ts';
import type { CreatedVault } from '../create-vault.ts';
import type { Vault } from '../queries/vaults.ts';
import type { ListedVault } from '../queries/viewed-vaults.ts';
import { type VaultView, readVaultView } from '../read-vaults.ts';
import { presentCustomPrice } from './custom-prices.ts';
import type { ListedVaultResource, VaultResource } from './resource.ts';
import { presentFractionalization, presentInvestmentTerms } from './terms-response.ts';
import { presentWindow, windowEndText, windowStartText } from './window-response.ts';
import type { Span } from '../rules/window.ts';

/** A vault as every reader sees it. */
export function presentVault(view: VaultView): z.input<typeof VaultResource> {
  const { terms } = view.vault;
  const { assetWhitelist, contributorWhitelist, investorWhitelist, customPrices } = terms;
  return {
    ...presentFields(view),
    assetWhitelist: [...assetWhitelist],
    contributorWhitelist: [...contributorWhitelist],
    investorWhitelist: [...investorWhitelist],
    customPrices: customPrices.map(presentCustomPrice),
    typeRules: presentVaultTypeRules(terms.typeRules),
    assetTypeRules: presentAcceptedTypes(terms.assetTypes),
  };
}

export function presentListedVault(view: VaultView<ListedVault>): z.input<typeof ListedVaultResource> {
  return { ...presentFields(view), whitelistCounts: view.vault.whitelistCounts };
}

function presentFields(view: VaultView) {
  const { vault, windows, holds, now } = view;
  const { terms } = vault;
  return {
    id: vault.id,
    name: vault.name,
    contractAddress: vault.contractAddress,
    type: terms.type,
    status: vault.status,
    phase: view.phase,
    phaseEndsAt: textOrNull(view.phaseEndsAt),
    overdueSeconds: view.overdueSeconds,
    serverTime: isoText(now),
    holds: holds.map(({ reason, since }) => ({ reason, since: isoText(since) })),
    allowedActions: view.allowedActions.map((action) => ({ ...action })),
    assetTypes: Object.keys(terms.assetTypes),
    investorListEnabled: terms.investorListEnabled,
    assetWindow: presentWindow(windows.asset, now),
    investmentWindow: { ...presentWindow(windows.investment, now), valuationType: terms.valuationType },
    fractionalization: presentFractionalization(vault),
    investment: presentInvestmentTerms(vault),
    governance: presentGovernance(vault),
    termination: presentTermination(view),
    settlesBy: isoText(vault.settlesBy),
    cancelRequestedAt: textOrNull(vault.cancelRequestedAt),
    creationConfirmedAt: textOrNull(vault.creationConfirmedAt),
    lockedAt: textOrNull(vault.lockedAt),
    terminatedAt: textOrNull(vault.terminatedAt),
    createdBy: vault.createdBy,
    createdAt: isoText(vault.createdAt),
    updatedAt: isoText(vault.updatedAt),
    metadata: presentMetadata(vault),
  };
}

function presentMetadata({ metadata, terms, countedAssets }: Vault) {
  return {
    ...(metadata['custom'] as Record<string, unknown>),
    assetSettings: {
      floorPricePercentage: percentageNumber(terms.floorPricePercentage),
      maxShare: percentageNumber(terms.maxShare),
      maxAssets: terms.maxAssets,
      countedAssets,
    },
  };
}

function textOrNull(at: Instant | null): string | null {
  return at === null ? null : isoText(at);
}

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

/** Reads the vault after the change, in the database transaction that made it. `transaction` is the anchor as the operation presents it. */
export async function presentChangedVault<const Anchor>(
  { tx: db, now }: TransactionContext,
  { vaultId, caller }: { readonly vaultId: string; readonly caller: Caller },
  transaction: Anchor,
) {
  const view = await readVaultView(db, vaultId, { caller, now });
  return enveloped({ ...presentVault(view), transaction }, now);
}

/** The locks for changing a vault. */
export function vaultLocks(vaultId: string): WriteLocks {
  return { lock: `vault:${vaultId}`, mode: 'exclusive', stakesOf: null };
}

/** The script that guards the custody of a vault, with which its cosigners take it over if the vault's key is lost; see docs/guides/leaving.md. */
export const CustodyScript = ScriptFields.extend({
  cosignersAloneFrom: Timestamp.nullable().describe(
    'From this time on, `requiredCosigners` of the registered cosigners can spend from the address without the ' +
      'key of the vault. `null` if the vault registered none.',
  ),
  slot: z.int().nullable().describe('`cosignersAloneFrom` as the ledger slot in the script.'),
}).meta({ id: 'CustodyScript' });

type CustodiedVault = CustodyGuard & { readonly contractAddress: string };

export function presentCustodyScript(vault: CustodiedVault): PresentedScript<z.input<typeof CustodyScript>> {
  const alone = vault.cosigners?.alone;
  return {
    ...presentScript({ script: custodyScript(vault), address: vault.contractAddress }),
    cosignersAloneFrom: alone ? isoText(alone.from) : null,
    slot: alone?.fromSlot ?? null,
  };
}
