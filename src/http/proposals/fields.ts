import { z } from 'zod';
import { DurationText, Percentage } from '../server/fields.ts';
import { durationTexts, thresholdTexts } from '../server/descriptions.ts';

const atLeastItsVaults = "; at least the vault's, which holds where this is left out";

/** The five thresholds of a vault, in percent. */
export const vaultThresholds = {
  creation_threshold: Percentage(0, 100).describe(thresholdTexts.creation),
  start_threshold: Percentage(0, 100).describe(thresholdTexts.start),
  vote_threshold: Percentage(10, 100).describe(thresholdTexts.vote),
  execution_threshold: Percentage(0, 100).describe(thresholdTexts.execution),
  cosigning_threshold: Percentage(0, 100).describe(thresholdTexts.cosigning),
};

const ownThreshold = (name: keyof typeof thresholdTexts) =>
  Percentage(0, 100)
    .describe(thresholdTexts[name] + atLeastItsVaults)
    .optional();

/** What a proposal may ask for itself: stricter than its vault, never laxer (design D22). */
export const proposalThresholds = {
  creation_threshold: ownThreshold('creation'),
  start_threshold: ownThreshold('start'),
  vote_threshold: ownThreshold('vote'),
  execution_threshold: ownThreshold('execution'),
  cosigning_threshold: ownThreshold('cosigning'),
};

const phaseLength = (phase: 'voting' | 'lock' | 'execution') => DurationText.describe(durationTexts[phase]).optional();

/** How long the phases of proposals last. */
export const phaseDurations = {
  voting_duration: phaseLength('voting'),
  lock_duration: phaseLength('lock'),
  execution_duration: phaseLength('execution'),
};

export const requiredCosigners = (min: number, usual: string) =>
  z
    .int()
    .min(min)
    .max(20)
    .describe(
      `How many cosigners an execution needs; where fewer may cosign when a proposal is made, as many as may. ${usual}`,
    )
    .optional();
