import type { z } from 'zod';
import { type Instant, isoText } from '../../platform/units/instant.ts';
import { percentageNumber } from '../../platform/units/percentage.ts';
import type { VaultView } from '../vault-view.ts';
import type { ListedVault } from '../queries/listed-vaults.ts';
import type { Vault } from '../queries/vaults.ts';
import { presentAcceptedTypes } from '../../types/routes/asset-types/rules.ts';
import { presentVaultTypeRules } from '../../types/routes/vault-types/rules.ts';
import { presentCustomPrice } from './custom-prices.ts';
import { presentGovernance } from '../../proposals/routes/governance-response.ts';
import type { ListedVaultResource, VaultResource } from './resource.ts';
import { presentTermination } from '../../termination/routes/termination-response.ts';
import { presentFractionalization, presentInvestmentTerms } from './terms-response.ts';
import { presentWindow } from './window-response.ts';

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
