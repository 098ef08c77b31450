import { expect, test } from '@jest/globals';
import { instant } from '../platform/units/time.ts';
import { basisPoints } from '../platform/units/money.ts';
import { type FeatureFlag, type FeatureRequest, isFeatureOn } from './rules.ts';

const flag: FeatureFlag = {
  name: 'batch',
  enabled: true,
  version: 'v1.2.0',
  rollout: basisPoints(10_000n),
  clientIds: [],
  environments: [],
  startsAt: null,
};
const request: FeatureRequest = {
  clientIds: ['wallet', 'key'],
  environment: 'production',
  version: 'v1.2.0',
  now: instant(1000),
};

test.each<[string, boolean, Partial<FeatureFlag>]>([
  ['without conditions', true, {}],
  ['that is disabled', false, { enabled: false }],
  ['of a later version', false, { version: 'v1.10.0' }],
  ['of an earlier version', true, { version: 'v1.0.9' }],
  ['that starts now', true, { startsAt: instant(1000) }],
  ['that starts later', false, { startsAt: instant(1001) }],
  ['of this environment', true, { environments: ['test', 'production'] }],
  ['of another environment', false, { environments: ['test'] }],
  ['for this key', true, { clientIds: ['key'] }],
  ['for this wallet', true, { clientIds: ['wallet'] }],
  ['for another client', false, { clientIds: ['other'] }],
  ['for nobody', false, { rollout: basisPoints(0n), clientIds: ['key'] }],
])('a feature %s is on: %s', (_case, isOn, more) => {
  expect(isFeatureOn({ ...flag, ...more }, request)).toBe(isOn);
});

const clients = Array.from({ length: 4000 }, (_, number) => `client ${number}`);
const having = (share: bigint, name = 'batch') =>
  clients.filter((client) =>
    isFeatureOn({ ...flag, name, rollout: basisPoints(share) }, { ...request, clientIds: [client] }),
  );

test('a rollout reaches about its share of the clients', () => {
  for (const share of [100n, 2500n, 5000n, 9000n]) {
    const expected = (clients.length * Number(share)) / 10_000;
    expect(Math.abs(having(share).length - expected)).toBeLessThan(4 * Math.sqrt(expected));
  }
  expect(having(10_000n)).toHaveLength(clients.length);
});

test('a larger rollout takes the feature from nobody, and another feature reaches others', () => {
  const few = having(2000n);
  expect(new Set(having(3000n)).isSupersetOf(new Set(few))).toBe(true);
  const both = having(2000n, 'another').filter((client) => few.includes(client));
  expect(both.length).toBeLessThan(few.length / 3);
});
