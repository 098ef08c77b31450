import { expect, test } from '@jest/globals';
import { scansOfStack } from '../store/scans-of-stack.ts';
import { ownPostgres, ownTemporal } from '../stack/own-servers.ts';
import { testStack } from '../stack/test-stack.ts';
import { expectAtRest } from './at-rest.ts';
import { insistingStack } from './insisting-stack.ts';
import { livesOf, planOfSeed, planStops, type Stop } from './plan.ts';
import type { Point } from './points.ts';
import { type Servers, stop, victims } from './stops.ts';
import { expectedOutcome } from './expected-outcome.ts';
import { stepsOf } from './life-steps.ts';
import { type Traits, usualLives } from './traits.ts';
import { begin, cast, outcomeOf, takeStep, untilFinal } from './vault-life.ts';
import { type OnReached, watchPoints } from './watch-points.ts';
import { watchSubmissions } from './watch-submissions.ts';

/** `npm run chaos` sets them: then everything is stopped; without them the processes of one stack, for a moment. */
const { CHAOS_SEED, CHAOS_STOPS = '3' } = process.env;
const isWhole = CHAOS_SEED !== undefined;
const stoppedMs = isWhole ? 10_000 : 1000;
/** Not what `npm test` shares with other tests. */
const ownVictims = victims.filter((victim) => victim !== 'postgres' && victim !== 'temporal');
/** How many of the calls to the ledger are dropped, delayed, repeated or answered wrongly. */
const DISHONEST = 0.05;

/** The worker is killed in each step of the end, whatever the seed. */
const endingStops: readonly Stop[] = (
  [
    ['termination begun', 'after its commit'],
    ['gather_pot pending', 'after its commit'],
    ['claims OPEN', 'before its commit'],
    ['claims OVER', 'after its commit'],
    ['hand_over', 'before it is sent'],
    ['pay_remainder confirmed', 'before its commit'],
    ['close_vault', 'after it is sent'],
  ] as const
).map(([change, moment]) => ({ point: { change, moment }, victim: 'worker', way: 'killed' }));

test(
  'a vault lives as if nothing had happened, whatever is stopped at whichever point of its life',
  async () => {
    await using cleanup = new AsyncDisposableStack();
    const servers = isWhole
      ? { postgres: cleanup.use(await ownPostgres()), temporal: cleanup.use(await ownTemporal()) }
      : null;
    const stack = cleanup.use(
      await testStack({ apiProcess: true, lyingLedger: true, ...(servers && { servers: addresses(servers) }) }),
    );
    const seed = Number(CHAOS_SEED ?? 1);
    const lives = isWhole ? livesOf(seed) : usualLives;
    const casts = await Promise.all(
      lives.map((traits, place) => cast(stack, traits, { first: 451 + 10 * place, name: `Chaos ${place}` })),
    );
    const count = Number(CHAOS_STOPS);
    const plan = isWhole
      ? planOfSeed(seed, count)
      : [...planStops({ seed, count, lives, stoppable: ownVictims }), ...endingStops];
    const table: string[] = [];
    const onReached: OnReached = async (point, lose) => {
      const found = plan.find((one) => one.point === point);
      if (!found) return;
      const begun = performance.now();
      await stop(stack, servers, { ...found, stoppedMs }, lose);
      const seconds = ((performance.now() - begun) / 1000).toFixed(1);
      table.push(`| ${point.change} | ${point.moment} | ${found.victim} | ${found.way} | ${seconds} |`);
    };
    const wanted = plan.map(({ point }) => point);
    stack.liar.lieAtRandom([seed], DISHONEST);
    {
      await using watched = await watchPoints(stack.databaseUrl, wanted.filter(isCommit), onReached);
      const submissions = watchSubmissions(
        stack,
        wanted.filter((point) => !isCommit(point)),
        watched.stopAt,
      );
      const insisting = insistingStack(stack);
      const vaults = await Promise.all(casts.map((people) => begin(insisting, people)));
      for (const step of stepsOf(lives)) {
        await takeStep(insisting, vaults, step);
        await untilFinal(insisting, vaults);
      }
      for (const { change, moment } of [...watched.left(), ...submissions.left()])
        table.push(`| ${change} | ${moment} | | not reached | |`);
      stack.liar.beHonest();
      process.stdout.write(
        [
          '',
          `seed ${seed}: ${lives.map(described).join(', and ')}`,
          '',
          '| point | moment | what | how | s |',
          '|---|---|---|---|---|',
          ...table,
          '',
        ].join('\n'),
      );
      for (const life of vaults) expect(await outcomeOf(insisting, life)).toEqual(expectedOutcome(life.traits));
      expect(watched.failed).toEqual([]);
      // A change that comes while a killed process starts is let go, and most come only once.
      const missed = [...watched.left(), ...submissions.left()];
      expect(missed.length).toBeLessThanOrEqual(isWhole ? plan.length / 5 : 0);
    }
    await expectAtRest(stack);
    // Settlement, refunds, the end and claims: what a new statement of these reads is seen here.
    expect(await scansOfStack(stack)).toEqual([]);
  },
  isWhole ? 3_600_000 : 600_000,
);

const isCommit = ({ moment }: Point) => moment === 'before its commit' || moment === 'after its commit';

/** What is special in a life. */
function described(traits: Traits): string {
  const { ending, stakes, rotates, reclaimsStake, getsGift, sale, requiredCosigners, claims } = traits;
  const special = {
    ...{ stakes, rotates, 'a stake reclaimed': reclaimsStake, 'a gift': getsGift },
    [`a sale ${sale}`]: sale !== 'never',
    [`${requiredCosigners} of 2 cosigners`]: requiredCosigners > 0,
    [`claims ${claims.join(', ')}`]: claims.length > 0,
  };
  const named = Object.entries(special).flatMap(([name, has]) => (has ? [name] : []));
  return [ending, ...(named.length > 0 ? [`(${named.join('; ')})`] : [])].join(' ');
}

const addresses = ({ postgres, temporal }: Servers) => ({ databaseUrl: postgres.databaseUrl, temporal });
