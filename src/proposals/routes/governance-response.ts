import { z } from 'zod';
import { printDuration } from '../../platform/units/duration.ts';
import { percentageNumber } from '../../platform/units/percentage.ts';
import { governanceSettings } from '../queries/governance-settings.ts';
import type { Vault } from '../../vaults/queries/vaults.ts';
import { defaultDurationText, thresholdTexts } from '../../platform/http/descriptions.ts';
import { DurationPrinted } from '../../platform/http/fields.ts';

const phaseDuration = (usual: string) =>
  DurationPrinted.nullable().describe(
    `Null if the creator set none; then ${usual}, within the bounds of the deployment`,
  );

/** Thresholds in percent, and the settings that the creator chose. */
export const GovernanceFields = z.object({
  creationThreshold: z.number().describe(thresholdTexts.creation),
  startThreshold: z.number().describe(thresholdTexts.start),
  voteThreshold: z.number().describe(thresholdTexts.vote),
  executionThreshold: z.number().describe(thresholdTexts.execution),
  cosigningThreshold: z.number().describe(thresholdTexts.cosigning),
  votingDuration: phaseDuration(defaultDurationText.voting),
  lockDuration: phaseDuration(defaultDurationText.lock),
  executionDuration: phaseDuration(defaultDurationText.execution),
  requiredCosigners: z
    .int()
    .nullable()
    .describe(
      'Number of cosigners that an execution needs, unless its proposal requires more. Null if the creator set none; ' +
        'then 1',
    ),
  cosignerKeyHashes: z
    .array(z.string())
    .describe(
      'Payment key hashes of the only wallets that may cosign. If empty, any wallet that has staked ' +
        '`cosigningThreshold` may cosign',
    ),
  stakingAddresses: z
    .array(z.string())
    .describe('The only addresses where the vault may stake its assets; if empty, it cannot stake them'),
});

export function presentGovernance(vault: Vault): z.input<typeof GovernanceFields> {
  const { governance: thresholds } = vault.terms;
  const settings = governanceSettings(vault);
  const { votingSeconds, lockSeconds, executionSeconds } = settings;
  const required = vault.cosigners?.required ?? settings.requiredCosigners;
  return {
    creationThreshold: percentageNumber(thresholds.creation),
    startThreshold: percentageNumber(thresholds.start),
    voteThreshold: percentageNumber(thresholds.vote),
    executionThreshold: percentageNumber(thresholds.execution),
    cosigningThreshold: percentageNumber(thresholds.cosigning),
    votingDuration: durationOrNull(votingSeconds),
    lockDuration: durationOrNull(lockSeconds),
    executionDuration: durationOrNull(executionSeconds),
    requiredCosigners: required ?? null,
    cosignerKeyHashes: [...(vault.cosigners?.keyHashes ?? [])],
    stakingAddresses: [...(settings.stakingAddresses ?? [])],
  };
}

function durationOrNull(seconds: number | undefined): string | null {
  return seconds === undefined ? null : printDuration(seconds);
}
