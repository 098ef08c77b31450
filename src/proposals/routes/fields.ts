import { z } from 'zod';
import { DurationText, Percentage } from '../../platform/http/fields.ts';
import { durationTexts, thresholdTexts } from '../../platform/http/descriptions.ts';

const minimumText = "; at least the vault's threshold, which is the default";

/** The five thresholds of a vault, in percent. */
export const vaultThresholds = {
  creation_threshold: Percentage(0, 100).describe(thresholdTexts.creation),
  start_threshold: Percentage(0, 100).describe(thresholdTexts.start),
  vote_threshold: Percentage(10, 100).describe(thresholdTexts.vote),
  execution_threshold: Percentage(0, 100).describe(thresholdTexts.execution),
  cosigning_threshold: Percentage(0, 100).describe(thresholdTexts.cosigning),
};

const stricterThreshold = (name: keyof typeof thresholdTexts) =>
  Percentage(0, 100)
    .describe(thresholdTexts[name] + minimumText)
    .optional();

/** The thresholds of a proposal. They may be stricter than those of its vault, but not laxer (design D22). */
export const proposalThresholds = {
  creation_threshold: stricterThreshold('creation'),
  start_threshold: stricterThreshold('start'),
  vote_threshold: stricterThreshold('vote'),
  execution_threshold: stricterThreshold('execution'),
  cosigning_threshold: stricterThreshold('cosigning'),
};

const phaseDuration = (phase: 'voting' | 'lock' | 'execution') =>
  DurationText.describe(durationTexts[phase]).optional();

/** The durations of the phases of proposals. */
export const phaseDurations = {
  voting_duration: phaseDuration('voting'),
  lock_duration: phaseDuration('lock'),
  execution_duration: phaseDuration('execution'),
};

export const requiredCosigners = (min: number, defaultText: string) =>
  z
    .int()
    .min(min)
    .max(20)
    .describe(
      'Number of cosigners that an execution needs. If fewer wallets are eligible when a proposal is created, their number applies; ' +
        'for the number of a vault, those of them who voted are counted again when the vote has passed, and the larger number ' +
        `applies. ${defaultText}`,
    )
    .optional();
