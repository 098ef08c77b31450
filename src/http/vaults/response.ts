import type { z } from 'zod';
import { printDuration } from '../../domain/units/duration.ts';
import { type Instant, isoText } from '../../domain/units/instant.ts';
import { percentageNumber } from '../../domain/units/percentage.ts';
import { printTokenAmount } from '../../domain/units/token-amount.ts';
import type { TerminationTerms } from '../../domain/vault/vault.ts';
import { type Window, windowStatusAt } from '../../domain/vault/window.ts';
import { governanceSettings } from '../../store/governance-settings.ts';
import type { VaultView } from '../../services/vaults/vault-view.ts';
import type { VaultResource } from './resource.ts';

/** A vault as every reader sees it. */
export function presentVault(view: VaultView): z.input<typeof VaultResource> {
  const { vault, windows, holds, now } = view;
  const { terms } = vault;
  const custom = vault.metadata['custom'] as Record<string, unknown>;
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
    assetTypes: [...terms.assetTypes],
    assetWhitelist: [...terms.assetWhitelist],
    contributorWhitelist: [...terms.contributorWhitelist],
    investorWhitelist: [...terms.investorWhitelist],
    assetWindow: presentWindow(windows.asset, now),
    investmentWindow: { ...presentWindow(windows.investment, now), valuationType: terms.valuationType },
    fractionalization: {
      percentage: percentageNumber(terms.ftPercentage),
      tokenSupply: Number(printTokenAmount(terms.ftSupply, terms.ftDecimals)),
      tokenSupplyBaseUnits: terms.ftSupply.toString(),
      tokenDecimals: terms.ftDecimals,
      tokenAddress: vault.ftUnit,
    },
    investment: { reserve: percentageNumber(terms.reserve), liquidityPool: percentageNumber(terms.lpPercentage) },
    governance: presentGovernance(view),
    termination: { ...presentTermination(terms.termination), reason: vault.terminationReason ?? vault.failedBecause },
    settlesBy: isoText(vault.settlesBy),
    cancelRequestedAt: textOrNull(vault.cancelRequestedAt),
    creationConfirmedAt: textOrNull(vault.creationConfirmedAt),
    lockedAt: textOrNull(vault.lockedAt),
    terminatedAt: textOrNull(vault.terminatedAt),
    createdBy: vault.createdBy,
    createdAt: isoText(vault.createdAt),
    updatedAt: isoText(vault.updatedAt),
    metadata: {
      ...custom,
      assetSettings: {
        floorPricePercentage: percentageNumber(terms.floorPricePercentage),
        maxAssets: terms.maxAssets,
        countedAssets: vault.countedAssets,
      },
    },
  };
}

function presentWindow(window: Window, now: Instant) {
  return {
    startTime: isoText(window.startsAt),
    endTime: isoText(window.endsAt),
    duration: printDuration(Math.floor((window.endsAt - window.startsAt) / 1000)),
    status: windowStatusAt(window, now),
  };
}

function presentGovernance({ vault }: VaultView) {
  const { governance: thresholds } = vault.terms;
  const { votingSeconds, lockSeconds, executionSeconds, requiredCosigners, stakingAddresses } =
    governanceSettings(vault);
  const required = vault.cosigners?.required ?? requiredCosigners;
  return {
    creationThreshold: percentageNumber(thresholds.creation),
    startThreshold: percentageNumber(thresholds.start),
    voteThreshold: percentageNumber(thresholds.vote),
    executionThreshold: percentageNumber(thresholds.execution),
    cosigningThreshold: percentageNumber(thresholds.cosigning),
    ...(votingSeconds !== undefined && { votingDuration: printDuration(votingSeconds) }),
    ...(lockSeconds !== undefined && { lockDuration: printDuration(lockSeconds) }),
    ...(executionSeconds !== undefined && { executionDuration: printDuration(executionSeconds) }),
    ...(required !== undefined && { requiredCosigners: required }),
    cosignerKeyHashes: [...(vault.cosigners?.keyHashes ?? [])],
    stakingAddresses: [...(stakingAddresses ?? [])],
  };
}

function presentTermination(terms: TerminationTerms) {
  const fdp = percentageNumber(terms.fdp);
  return terms.type === 'DAO'
    ? { type: terms.type, fdp }
    : { type: terms.type, fdp, duration: printDuration(terms.duration) };
}

function textOrNull(at: Instant | null): string | null {
  return at === null ? null : isoText(at);
}
