import { expect, test } from '@jest/globals';
import { wallClock, type Instant, secondsAfter } from '../../src/platform/units/time.ts';
import { until } from '../stack/until.ts';
import { runVault } from './run-vault.ts';

const MINUTE = 60;

/** Fails at every call and remembers when it was called. */
function throwing(message: string) {
  const calls: Instant[] = [];
  const run = ({ now }: { now: Instant }): Promise<never> => {
    calls.push(now);
    return Promise.reject(new Error(message));
  };
  return { calls, run };
}

test.concurrent.each(['openOrCloseWindow', 'priceAssets', 'planSettlement'] as const)(
  'a vault whose %s throws for ever returns everything at T',
  async (step) => {
    const settlesBy = secondsAfter(wallClock.now(), 20 * MINUTE);
    const reasons: string[] = [];
    const holds: Instant[] = [];
    const { calls, run } = throwing('bind message has 65536 parameters');
    const asset = { window: 'asset', change: 'close', at: wallClock.now() } as const;
    await using vault = await runVault(settlesBy, {
      readSchedule: () => Promise.resolve({ transitions: [asset], settlesBy, status: 'ACTIVE' }),
      [step]: run,
      failVault: ({ reason }) => {
        reasons.push(reason);
        return Promise.resolve(undefined);
      },
      holdForFailures: ({ now }) => {
        holds.push(now);
        return Promise.resolve();
      },
    });
    await until(async () => (await vault.details()).includes('65536 parameters'), { what: 'the failure to be shown' });
    await vault.moveTo(10 * MINUTE * 1000);
    await until(() => holds.length > 0, { what: 'the vault to be held' });
    expect(reasons).toEqual([]);

    await vault.moveTo(40 * MINUTE * 1000);

    expect(await vault.result()).toEqual({ reason: 'settlement_deadline' });
    expect(reasons).toEqual(['settlement_deadline']);
    expect(Math.max(...calls)).toBeGreaterThan(calls[0] ?? 0);
  },
);

test.concurrent.each(['readFailure', 'depositsAreFinal'] as const)(
  'a vault of which %s throws until T fails at T',
  async (step) => {
    const settlesBy = secondsAfter(wallClock.now(), 4 * MINUTE);
    const reasons: string[] = [];
    const asset = { window: 'asset', change: 'close', at: secondsAfter(wallClock.now(), MINUTE) } as const;
    await using vault = await runVault(settlesBy, {
      readSchedule: () => Promise.resolve({ transitions: [asset], settlesBy, status: 'ACTIVE' }),
      [step]: () => (reasons.length === 0 ? Promise.reject(new Error('a row is unreadable')) : Promise.resolve(true)),
      failVault: ({ reason }) => {
        reasons.push(reason);
        return Promise.resolve(undefined);
      },
    });
    if (step === 'depositsAreFinal') await vault.moveTo(2 * MINUTE * 1000);
    await until(async () => (await vault.details()).includes('row is unreadable'), {
      what: 'the failure to be shown',
    });
    await vault.moveTo(8 * MINUTE * 1000);
    expect(await vault.result()).toEqual({ reason: 'settlement_deadline' });
    expect(reasons).toEqual(['settlement_deadline']);
  },
);

test.concurrent.each(['prepareCreation', 'nextRefund', 'prepareMint'] as const)(
  'a vault whose %s throws until T is asked again at T, and fails',
  async (step) => {
    const settlesBy = secondsAfter(wallClock.now(), 4 * MINUTE);
    const reasons: string[] = [];
    await using vault = await runVault(settlesBy, {
      prepareMint: ({ now }) => Promise.resolve(now < settlesBy ? { transactionId: 'mint' } : null),
      [step]: ({ now }: { now: Instant }) =>
        now < settlesBy
          ? Promise.reject(new Error('another transaction has taken an input'))
          : Promise.resolve(step === 'nextRefund' ? { kind: 'done' } : null),
      failVault: ({ reason }) => {
        reasons.push(reason);
        return Promise.resolve(undefined);
      },
    });
    await until(async () => (await vault.details()).includes('has taken an input'), {
      what: 'the failure to be shown',
    });
    await vault.moveTo(8 * MINUTE * 1000);
    expect(await vault.result()).toEqual({ reason: 'settlement_deadline' });
    expect(reasons).toEqual(['settlement_deadline']);
  },
);

test.concurrent('a vault that was minted is not failed by a deadline that came while Postgres was away', async () => {
  const settlesBy = secondsAfter(wallClock.now(), 4 * MINUTE);
  let failures = 0;
  let isAway = true;
  await using vault = await runVault(settlesBy, {
    planSettlement: () => (isAway ? Promise.reject(new Error('Postgres is away')) : Promise.resolve(null)),
    failVault: () => {
      failures += 1;
      isAway = false;
      return Promise.resolve('minted');
    },
  });
  await until(async () => (await vault.details()).includes('Postgres is away'), { what: 'the failure to be shown' });
  await vault.moveTo(8 * MINUTE * 1000);
  await until(async () => (await vault.details()).startsWith('Settled.'), { what: 'the vault to go on' });
  expect(failures).toBe(1);
});
