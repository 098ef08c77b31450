import { fieldError } from '../errors.ts';
import type { BasisPoints } from '../units/money.ts';
import type { Instant } from '../units/instant.ts';
import type { VaultActionSnapshot } from './allowed-actions.ts';
import type { ValuationType } from './vault.ts';

/** The settings of a vault that its admin can change; what is absent stays (design D39c). */
export interface SettingsChange {
  /** Whether the investor whitelist applies. */
  readonly investorListEnabled?: boolean | undefined;
  /** The whole list. */
  readonly investorWhitelist?: readonly string[] | undefined;
  readonly valuationType?: ValuationType | undefined;
  readonly fdp?: BasisPoints | undefined;
}

/**
 * Throws SETTING_NOT_CHANGEABLE at the field: `valuationType` is fixed once the asset window has opened, because prices are taken
 * from then on, and `termination.fdp` once the vault is settling, because it is measured against what the settlement counted.
 */
export function requireChangeable(
  { valuationType, fdp }: SettingsChange,
  { status, assetWindow, settlementStarted }: Pick<VaultActionSnapshot, 'status' | 'assetWindow' | 'settlementStarted'>,
  now: Instant,
): void {
  if (valuationType !== undefined && now >= assetWindow.startsAt)
    throw fieldError('SETTING_NOT_CHANGEABLE', 'valuationType', 'It is fixed since the asset window opened');
  if (fdp !== undefined && (status === 'LOCKED' || settlementStarted))
    throw fieldError('SETTING_NOT_CHANGEABLE', 'termination.fdp', 'It is fixed since the settlement was planned');
}
