import { expect, test } from '@jest/globals';
import { seededRandom } from '../stack/lying-ledger.ts';
import { ownPostgres, ownTemporal } from '../stack/own-servers.ts';
import { testStack } from '../stack/test-stack.ts';
import { expectAtRest } from './at-rest.ts';
import { insistingStack } from './insisting-stack.ts';
import { type Point, points } from './points.ts';
import { type Servers, stop, type Victim, victims, type Way, ways } from './stops.ts';
import { expectedOutcome } from './expected-outcome.ts';
import { stepsOf } from './life-steps.ts';
import { usualLives } from './traits.ts';
import { begin, cast, outcomeOf, takeStep, untilFinal } from './vault-life.ts';
import { type OnReached, watchPoints } from './watch-points.ts';
import { watchSubmissions } from './watch-submissions.ts';

/** `npm run chaos` sets them: then everything is stopped; without them the processes of one stack, for a moment. */
const { CHAOS_SEED, CHAOS_STOPS = '3' } = process.env;
const isWhole = CHAOS_SEED !== undefined;
const stoppedMs = isWhole ? 10_000 : 1000;
/** How many of the calls to the ledger are dropped, delayed, repeated or answered wrongly. */
const DISHONEST = 0.05;

interface Stop {
  readonly point: Point;
  readonly victim: Victim;
  readonly way: Way;
}

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

/** Points in random order, each with what is stopped there. */
function planStops(seed: number, count: number): Stop[] {
  const random = seededRandom(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
  const possible = isWhole ? victims : victims.filter((victim) => victim !== 'postgres' && victim !== 'temporal');
  const shuffled = points.map((point) => ({ point, at: random() })).toSorted((a, b) => a.at - b.at);
  const drawn = shuffled.slice(0, count).map(({ point }) => ({ point, victim: pick(possible), way: pick(ways) }));
  return isWhole ? drawn : [...drawn, ...endingStops];
}

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
    const casts = await Promise.all(
      usualLives.map((traits, place) => cast(stack, traits, { first: 451 + 10 * place, name: `Chaos ${place}` })),
    );
    const seed = Number(CHAOS_SEED ?? 1);
    const plan = planStops(seed, Number(CHAOS_STOPS));
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
      const lives = await Promise.all(casts.map((people) => begin(insisting, people)));
      for (const step of stepsOf(usualLives)) {
        await takeStep(insisting, lives, step);
        await untilFinal(insisting, lives);
      }
      for (const { change, moment } of [...watched.left(), ...submissions.left()])
        table.push(`| ${change} | ${moment} | | not reached | |`);
      stack.liar.beHonest();
      process.stdout.write(
        ['', `seed ${seed}`, '| point | moment | what | how | s |', '|---|---|---|---|---|', ...table, ''].join('\n'),
      );
      for (const life of lives) expect(await outcomeOf(insisting, life)).toEqual(expectedOutcome(life.traits));
      expect(watched.failed).toEqual([]);
      // A change that comes while a killed process starts is let go, and most come only once.
      const missed = [...watched.left(), ...submissions.left()];
      expect(missed.length).toBeLessThanOrEqual(isWhole ? plan.length / 5 : 0);
    }
    await expectAtRest(stack);
  },
  isWhole ? 3_600_000 : 600_000,
);

const isCommit = ({ moment }: Point) => moment === 'before its commit' || moment === 'after its commit';

const addresses = ({ postgres, temporal }: Servers) => ({ databaseUrl: postgres.databaseUrl, temporal });
