import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { defaultDurationBounds, instant, secondsAfter } from '../../platform/units/time.ts';
import { planWindows, type RequestedWindows } from './windows.ts';

const HOUR = 3_600;
const DAY = 24 * HOUR;
const createdAt = instant(Date.UTC(2026, 0, 1));
const later = (seconds: number) => secondsAfter(createdAt, seconds);

const plan = (requested: Partial<RequestedWindows>) =>
  planWindows({ createdAt, investmentDuration: 7 * DAY, bounds: defaultDurationBounds, ...requested });
const span = (from: number, to: number) => ({ startsAt: later(from), endsAt: later(to) });
const fieldsOf = (requested: Partial<RequestedWindows>) => {
  const result = plan(requested);
  return result.kind === 'refused' ? result.problems.map(({ field }) => field) : [];
};

describe('the default asset window', () => {
  test('lasts seven days from the creation', () => {
    expect(plan({})).toEqual({ kind: 'planned', asset: span(0, 7 * DAY), investment: span(0, 7 * DAY) });
  });

  test('is shorter if the investment window ends earlier', () => {
    expect(plan({ investmentDuration: 2 * DAY })).toMatchObject({ asset: span(0, 2 * DAY) });
  });

  test('keeps seven days if the investment window starts later', () => {
    const investmentStart = later(20 * DAY);
    const planned = { asset: span(0, 7 * DAY), investment: span(20 * DAY, 21 * DAY) };
    expect(plan({ investmentStart, investmentDuration: DAY })).toMatchObject(planned);
  });

  test('is possible with the shortest investment window from any accepted start', () => {
    expect(plan({ investmentStart: later(-60), investmentDuration: DAY })).toMatchObject({
      asset: span(-60, DAY - 60),
      investment: span(-60, DAY - 60),
    });
  });

  test('is refused if the end of the investment window leaves too little time', () => {
    expect(fieldsOf({ assetStart: later(HOUR), investmentDuration: DAY })).toEqual([
      'asset_settings.asset_window_start_time',
    ]);
  });
});

test('windows may overlap, start later and end together', () => {
  const requested = { assetStart: later(DAY), assetDuration: 8 * DAY, investmentStart: later(2 * DAY) };
  expect(plan(requested)).toEqual({ kind: 'planned', asset: span(DAY, 9 * DAY), investment: span(2 * DAY, 9 * DAY) });
});

test('the investment window must not end before the asset window', () => {
  expect(fieldsOf({ assetDuration: 7 * DAY + 60 })).toEqual(['investment_settings.investment_window_duration']);
});

describe.each([
  ['assetStart', 'asset_settings.asset_window_start_time'],
  ['investmentStart', 'investment_settings.investment_start_time'],
] as const)('%s', (name, field) => {
  const requested = { assetDuration: DAY, investmentDuration: 7 * DAY, investmentStart: later(365 * DAY) };

  test('may be up to 60 s in the past and 365 days ahead', () => {
    expect(fieldsOf({ ...requested, [name]: later(-60) })).not.toContain(field);
    expect(fieldsOf({ ...requested, [name]: later(365 * DAY) })).not.toContain(field);
  });

  test('is refused beyond these limits', () => {
    expect(fieldsOf({ ...requested, [name]: instant(later(-60) - 1) })).toContain(field);
    expect(fieldsOf({ ...requested, [name]: instant(later(365 * DAY) + 1) })).toContain(field);
  });
});

test.each([
  [{ assetDuration: DAY - 60 }, 'asset_settings.asset_window_duration'],
  [{ assetDuration: 30 * DAY + 60 }, 'asset_settings.asset_window_duration'],
  [{ investmentDuration: DAY - 60 }, 'investment_settings.investment_window_duration'],
  [{ investmentDuration: 7 * DAY + 60 }, 'investment_settings.investment_window_duration'],
])('%p is out of bounds and refused as %s', (requested, field) => {
  const result = plan(requested);
  expect(result).toMatchObject({ kind: 'refused', problems: [{ code: 'INVALID_VAULT_PARAMS', field }] });
});

test('all problems are named at once', () => {
  expect(fieldsOf({ assetStart: later(-HOUR), assetDuration: 0, investmentDuration: 0 })).toHaveLength(3);
});

test('a deployment with shorter windows gets a default within its own bounds', () => {
  const bounds = { ...defaultDurationBounds, assetWindow: { min: 60, max: 600 } };
  expect(plan({ bounds, investmentDuration: DAY })).toMatchObject({ asset: span(0, 600) });
});

test('every planned pair of windows is within bounds and in order', () => {
  const days = fc.integer({ min: -1, max: 40 * DAY });
  const requested = fc.record(
    { assetStart: days.map(later), assetDuration: days, investmentStart: days.map(later) },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(requested, fc.integer({ min: DAY, max: 7 * DAY }), (some, investmentDuration) => {
      const result = plan({ ...some, investmentDuration });
      fc.pre(result.kind === 'planned');
      const length = (result.asset.endsAt - result.asset.startsAt) / 1000;
      expect(length >= DAY && length <= 30 * DAY && result.asset.endsAt <= result.investment.endsAt).toBe(true);
    }),
  );
});
