import type { FieldProblem } from '../../platform/error-registry.ts';
import { type DurationBound, type DurationBounds, parseDuration, printDuration } from '../../platform/units/time.ts';
import { parseTokenAmount } from '../../platform/units/money.ts';
import type { VaultRequest } from './request.ts';

const YEAR_SECONDS = 365 * 24 * 3600;
const terminationBound: DurationBound = { min: 3600, max: 10 * YEAR_SECONDS };
const claimBound: DurationBound = { min: 7 * 24 * 3600, max: YEAR_SECONDS };

/** One of the two names of the vault type is required; with both, they must agree (design D9). */
export function vaultTypeProblems({ vault_type: type, privacy_type: privacy }: VaultRequest): FieldProblem[] {
  if (type === undefined && privacy === undefined) return [required('vault_type')];
  if (type === undefined || privacy === undefined || type === privacy) return [];
  return [
    problem(
      'privacy_type',
      'vault_type and privacy_type have the same meaning. Send the same value, or only one of them.',
    ),
  ];
}

export function supplyProblems({ investment_settings: settings }: VaultRequest): FieldProblem[] {
  if (parseTokenAmount(settings.ft_supply, settings.ft_token_decimals) !== undefined) return [];
  const message = 'The supply has more decimals than its token, or more digits than a JSON number can hold exactly.';
  return [problem('investment_settings.ft_supply', message)];
}

/** Voting, lock and execution must last as long as the deployment's bounds allow. */
export function phaseDurationProblems(
  { governance_settings: settings }: VaultRequest,
  bounds: DurationBounds,
): FieldProblem[] {
  return (['voting', 'lock', 'execution'] as const).flatMap((phase) => {
    const text = settings[`${phase}_duration`];
    if (text === undefined) return [];
    return durationProblems(`governance_settings.${phase}_duration`, text, bounds[phase]);
  });
}

/** A PROGRAMMED termination requires a duration of 1 hour to 10 years; no other termination has one. */
export function terminationProblems({ termination: { type, duration } }: VaultRequest): FieldProblem[] {
  const field = 'termination.duration';
  if (type === 'DAO') {
    return duration === undefined ? [] : [problem(field, 'Only a PROGRAMMED termination has a duration.')];
  }
  return duration === undefined ? [required(field)] : durationProblems(field, duration, terminationBound);
}

/** Claims can last 7 to 365 days. */
export function claimDurationProblems({ termination: { claim_duration: duration } }: VaultRequest): FieldProblem[] {
  return duration === undefined ? [] : durationProblems('termination.claim_duration', duration, claimBound);
}

/** Each cosigner has its own key, and no more are required than are named. */
export function cosignerProblems(
  { governance_settings: { required_cosigners: requiredCount } }: VaultRequest,
  keyHashes: readonly string[],
): FieldProblem[] {
  if (new Set(keyHashes).size < keyHashes.length) {
    return [problem('governance_settings.cosigners', 'Two cosigners have the same key.')];
  }
  if (keyHashes.length === 0 || (requiredCount ?? 1) <= keyHashes.length) return [];
  return [
    problem('governance_settings.required_cosigners', 'The required number is higher than the number of cosigners.'),
  ];
}

function durationProblems(field: string, text: string, { min, max }: DurationBound): FieldProblem[] {
  const seconds = parseDuration(text) ?? 0;
  if (seconds >= min && seconds <= max) return [];
  return [problem(field, `Must be from ${printDuration(min)} to ${printDuration(max)} (DD:HH:MM).`)];
}

function required(field: string): FieldProblem {
  return { code: 'REQUIRED', message: 'This field is required.', field };
}

function problem(field: string, message: string): FieldProblem {
  return { code: 'INVALID_VAULT_PARAMS', message, field };
}
