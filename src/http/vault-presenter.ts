import { z } from 'zod';
import { assetTypes } from '../domain/asset.ts';
import { vaultActions } from '../domain/allowed-actions.ts';
import { printDuration } from '../domain/duration.ts';
import { errorRegistry } from '../domain/errors.ts';
import { type Instant, isoText } from '../domain/instant.ts';
import { percentageNumber } from '../domain/percentage.ts';
import { printTokenAmount } from '../domain/token-amount.ts';
import { vaultPhases } from '../domain/vault-phase.ts';
import { type TerminationTerms, valuationTypes, vaultStatuses, vaultTypes } from '../domain/vault.ts';
import { type Window, windowStatusAt, windowStatuses } from '../domain/window.ts';
import { governanceSettings } from '../store/governance-settings.ts';
import { AmountText, DurationPrinted, Timestamp } from './fields.ts';
import { thresholdWords } from './operation-words.ts';
import type { VaultView } from './vault-reading.ts';

const WindowFields = z.object({
  startTime: Timestamp,
  endTime: Timestamp,
  duration: DurationPrinted,
  status: z.enum(windowStatuses),
});

const AllowedAction = z.object({
  action: z.enum(vaultActions),
  allowed: z.boolean(),
  reason: z
    .enum(Object.keys(errorRegistry))
    .meta({ description: 'The code the action would be refused with' })
    .optional(),
});

/** The spec's Vault resource with the additive fields of the design. */
export const VaultResource = z
  .object({
    id: z.uuid(),
    name: z.string(),
    contractAddress: z.string().meta({ description: 'Where the vault keeps what it holds' }),
    type: z.enum(vaultTypes),
    status: z.enum(vaultStatuses),
    phase: z.enum(vaultPhases),
    phaseEndsAt: Timestamp.nullable(),
    overdueSeconds: z.int().meta({ description: 'How late a change is that was due; 0 when nothing is' }),
    serverTime: Timestamp.meta({ description: 'The time all of this was true at; windows and phases go by it' }),
    holds: z.array(z.object({ reason: z.string(), since: Timestamp })),
    allowedActions: z.array(AllowedAction),
    assetTypes: z.array(z.enum(assetTypes)),
    assetWhitelist: z.array(z.string()),
    contributorWhitelist: z.array(z.string()),
    investorWhitelist: z.array(z.string()),
    assetWindow: WindowFields,
    investmentWindow: WindowFields.extend({ valuationType: z.enum(valuationTypes) }),
    fractionalization: z.object({
      percentage: z.number(),
      tokenSupply: z.number(),
      tokenSupplyBaseUnits: AmountText,
      tokenDecimals: z.int(),
      tokenAddress: z.string().meta({ description: 'Policy id and name of the token, in hex' }),
    }),
    investment: z.object({ reserve: z.number(), liquidityPool: z.number() }),
    governance: z.object({
      creationThreshold: z.number().meta({ description: thresholdWords.creation }),
      startThreshold: z.number().meta({ description: thresholdWords.start }),
      voteThreshold: z.number().meta({ description: thresholdWords.vote }),
      executionThreshold: z.number().meta({ description: thresholdWords.execution }),
      cosigningThreshold: z.number().meta({ description: thresholdWords.cosigning }),
      votingDuration: DurationPrinted.optional(),
      lockDuration: DurationPrinted.optional(),
      executionDuration: DurationPrinted.optional(),
      requiredCosigners: z.int().optional(),
      cosignerKeyHashes: z.array(z.string()),
      stakingAddresses: z.array(z.string()),
    }),
    termination: z.object({
      type: z.enum(['DAO', 'PROGRAMMED']),
      fdp: z.number(),
      duration: DurationPrinted.optional(),
      reason: z.string().nullable().meta({ description: 'Why the vault ended or is ending; null while it goes on' }),
    }),
    settlesBy: Timestamp.meta({ description: 'From here on owners can take unsettled deposits back alone' }),
    cancelRequestedAt: Timestamp.nullable(),
    creationConfirmedAt: Timestamp.nullable(),
    lockedAt: Timestamp.nullable(),
    terminatedAt: Timestamp.nullable(),
    createdBy: z.string(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    metadata: z.looseObject({
      assetSettings: z.object({ floorPricePercentage: z.number(), maxAssets: z.int(), countedAssets: z.int() }),
    }),
  })
  .meta({ id: 'Vault' });

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
