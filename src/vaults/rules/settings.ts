import type { CustomPrice } from '../../prices/rules.ts';
import { fieldError } from '../../platform/errors.ts';
import type { BasisPoints } from '../../platform/units/money.ts';
import type { Instant } from '../../platform/units/time.ts';
import type { VaultActionSnapshot } from './allowed-actions.ts';
import { noticeBegins, requireNoFewerInvestors } from './access.ts';
import type { VaultTerms } from './vault.ts';
import type { ValuationType } from '../../types/rules.ts';

/** The settings of a vault that its admin can change; what is absent stays (design D39c). */
export interface SettingsChange {
  /** Whether the investor whitelist applies. */
  readonly investorListEnabled?: boolean | undefined;
  /** The whole list. */
  readonly investorWhitelist?: readonly string[] | undefined;
  readonly valuationType?: ValuationType | undefined;
  /** The whole list. */
  readonly customPrices?: readonly CustomPrice[] | undefined;
  readonly fdp?: BasisPoints | undefined;
}

type Timing = Pick<VaultActionSnapshot, 'assetWindow'>;

/**
 * Throws SETTING_NOT_CHANGEABLE at the field: `valuationType` and `customPrices` are fixed once the asset window has opened, because
 * assets are contributed at them from then on, and `termination.fdp` once depositors have no time to leave, because it may give what is
 * left of the vault to a wallet of the admin. What the type of the vault decided at its creation stays.
 */
export function requireChangeable(
  terms: Pick<VaultTerms, 'investorWhitelist' | 'investorListEnabled' | 'typeRules'>,
  { investorListEnabled, investorWhitelist, valuationType, customPrices, fdp }: SettingsChange,
  timing: Timing,
  now: Instant,
): void {
  const { assetWindow } = timing;
  if (investorListEnabled === true && !terms.investorListEnabled && now >= noticeBegins(assetWindow))
    throw fieldError(
      'SETTING_NOT_CHANGEABLE',
      'investorAllowList.enabled',
      'Too late: contributors would have no time to withdraw their assets.',
    );
  if (investorWhitelist !== undefined) {
    const [before, field] = [terms.investorWhitelist, 'investorAllowList.addresses'];
    requireNoFewerInvestors(terms, { before, after: investorWhitelist, field }, assetWindow, now);
  }
  requireNotOpened({ valuationType, customPrices }, timing, now);
  requireAllowedByType(terms, valuationType);
  if (fdp !== undefined && now >= noticeBegins(assetWindow))
    throw fieldError(
      'SETTING_NOT_CHANGEABLE',
      'termination.fdp',
      'Too late: depositors would have no time to withdraw.',
    );
}

function requireNotOpened(
  settings: Pick<SettingsChange, 'valuationType' | 'customPrices'>,
  { assetWindow }: Timing,
  now: Instant,
): void {
  const changed = Object.entries(settings).find(([, value]) => value !== undefined);
  if (changed && now >= assetWindow.startsAt)
    throw fieldError('SETTING_NOT_CHANGEABLE', changed[0], 'This setting is fixed when the asset window opens.');
}

function requireAllowedByType(
  { typeRules: { valuationTypes } }: Pick<VaultTerms, 'typeRules'>,
  valuationType: ValuationType | undefined,
): void {
  if (valuationType !== undefined && !valuationTypes.includes(valuationType))
    throw fieldError(
      'SETTING_NOT_CHANGEABLE',
      'valuationType',
      `The type of the vault allows ${valuationTypes.join(', ')}.`,
    );
}
