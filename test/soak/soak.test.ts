import { availableParallelism, cpus } from 'node:os';
import { expect, test } from '@jest/globals';
import { expectAtRest } from '../chaos/at-rest.ts';
import { insistingStack } from '../chaos/insisting-stack.ts';
import { stop, victims, ways } from '../chaos/stops.ts';
import { expectedOutcome } from '../chaos/expected-outcome.ts';
import { stepsOf } from '../chaos/life-steps.ts';
import { drawTraits, type Traits } from '../chaos/traits.ts';
import { begin, cast, type LifeStack, outcomeOf, type Step, takeStep, untilFinal } from '../chaos/vault-life.ts';
import { nothingToLose } from '../chaos/watch-points.ts';
import { seededRandom } from '../stack/lying-ledger.ts';
import { ownPostgres, ownTemporal } from '../stack/own-servers.ts';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { growthIn, isUpToDate } from './bounds.ts';
import { type Measured, measureStack } from './measure-stack.ts';

/** `npm run soak` sets them. */
const { SOAK_MINUTES = '1', SOAK_SEED = '1' } = process.env;
const SEED = Number(SOAK_SEED);
const VAULTS_AT_ONCE = 3;
/** More than any run has. */
const MOST_VAULTS = 1000;
/** A step is disturbed by a fault, and by a rollback, with these probabilities. */
const [FAULTS, ROLLBACKS] = [0.3, 0.3];
/** Confirmations of a final transaction, as on a public network. What is deeper is an operator's to decide. */
const FINAL = 15;
const DEEPEST_ROLLBACK = FINAL - 1;
const BLOCK_MS = 200;
const DISHONEST = 0.03;
const STOPPED_MS = 10_000;
/** What should have ended so long ago is delinquent. */
const DELINQUENT_SECONDS = 60;

interface Counts {
  vaults: number;
  faults: number;
  rollbacks: number;
}

test(
  'vaults live for many minutes with faults and rollbacks, all end as if nothing had happened, and nothing grows',
  async () => {
    await using cleanup = new AsyncDisposableStack();
    const servers = { postgres: cleanup.use(await ownPostgres()), temporal: cleanup.use(await ownTemporal()) };
    const { databaseUrl } = servers.postgres;
    const stack = cleanup.use(
      await testStack({
        apiProcess: true,
        lyingLedger: true,
        blockMs: BLOCK_MS,
        environment: { CONFIRMATION_DEPTH: String(FINAL), LEDGER_BLOCK_MS: String(BLOCK_MS) },
        servers: { databaseUrl, temporal: servers.temporal },
      }),
    );
    const insisting = insistingStack(stack);
    const random = seededRandom(SEED);
    const counts: Counts = { vaults: 0, faults: 0, rollbacks: 0 };
    const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
    /** At most one fault and one rollback, while a step is taken. */
    const disturb = async ({ kinds, moveClock }: Step) => {
      if (random() < FAULTS) {
        counts.faults += 1;
        await stop(stack, servers, { victim: pick(victims), way: pick(ways), stoppedMs: STOPPED_MS }, nothingToLose);
      }
      // What is rolled back while the clock moves by days can never be confirmed again, and faucets send nothing again.
      if (random() < ROLLBACKS && moveClock === undefined && kinds.length > 0) {
        counts.rollbacks += 1;
        await rollBack(stack, 1 + Math.floor(random() * DEEPEST_ROLLBACK));
      }
    };
    stack.liar.lieAtRandom([SEED], DISHONEST);
    const begun = performance.now();
    const minutes = () => (performance.now() - begun) / 60_000;
    print(`${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, seed ${SOAK_SEED}`);
    print(
      '| min | vaults | faults | rollbacks | api MB | worker MB | longest history | follower lag s | timer lag s | ends |',
    );
    print('|--:|--:|--:|--:|--:|--:|--:|--:|--:|:--|');
    const rounds: Measured[] = [];
    do {
      const round = drawRound(counts.vaults);
      await runLives(stack, insisting, round, disturb);
      counts.vaults += round.length;
      const measured = await measureStack(stack);
      rounds.push(measured);
      print(row(minutes(), counts, measured, round));
      await untilNothingIsDelinquent(stack);
      expect(growthIn(rounds)).toEqual([]);
    } while (minutes() < Number(SOAK_MINUTES));
    stack.liar.beHonest();
    await until(async () => isUpToDate(await measureStack(stack)), {
      what: 'the stack to be up to date',
      deadlineMs: 60_000,
    });
    await expectAtRest(stack);
  },
  (Number(SOAK_MINUTES) + 30) * 60_000,
);

/** Rolls back and waits until the service follows the ledger's blocks again. */
async function rollBack({ sql, ledger }: TestStack, blocks: number): Promise<void> {
  await ledger.rollback(blocks);
  const isFollowed = async () => {
    const rows = await sql.run<{ hash: string; height: string }>`select hash, height
        from blocks order by height desc limit 1`;
    const block = await ledger.query<{ hash: string }>(`/blocks/${rows[0]?.height}`);
    return block?.hash === rows[0]?.hash;
  };
  await until(isFollowed, { what: `the rollback of ${blocks} blocks to be followed` });
}

interface Drawn {
  /** How many vaults of the run came before. */
  readonly number: number;
  readonly traits: Traits;
}

/** The traits of the next vaults of a seed, whatever happened to those before. */
function drawRound(first: number): Drawn[] {
  return Array.from({ length: VAULTS_AT_ONCE }, (_, place) => {
    const number = first + place;
    return { number, traits: drawTraits(seededRandom(SEED * MOST_VAULTS + number)) };
  });
}

/** Some vaults from their creation to their end, each step disturbed. */
async function runLives(
  stack: TestStack,
  insisting: LifeStack,
  round: readonly Drawn[],
  disturb: (step: Step) => Promise<void>,
): Promise<void> {
  const people = await Promise.all(
    round.map(({ number, traits }) => cast(stack, traits, { first: 2000 + 10 * number, name: `Soak ${number}` })),
  );
  // No rollback takes what the persons were given.
  await stack.ledger.mine(DEEPEST_ROLLBACK + 1);
  const lives = await Promise.all(people.map((one) => begin(insisting, one)));
  for (const step of stepsOf(round.map(({ traits }) => traits))) {
    await Promise.all([takeStep(insisting, lives, step), disturb(step)]);
    await untilFinal(insisting, lives);
  }
  for (const life of lives) {
    const { vaultId, traits } = life;
    expect({ vaultId, traits, ...(await outcomeOf(insisting, life)) }).toEqual({
      ...{ vaultId, traits },
      ...expectedOutcome(traits),
    });
  }
}

/** The clock has just moved by days: what is overdue by its time has had a moment only. */
async function untilNothingIsDelinquent(stack: TestStack): Promise<void> {
  const isDone = async () => (await measureStack(stack)).timerLagSeconds < DELINQUENT_SECONDS;
  await until(isDone, { what: 'nothing to be delinquent', deadlineMs: 60_000 });
}

function row(minutes: number, { vaults, faults, rollbacks }: Counts, measured: Measured, round: readonly Drawn[]) {
  const { apiMb, workerMb, longestHistory, followerLagSeconds, timerLagSeconds } = measured;
  const ends = round.map(({ traits }) => traits.ending).join(', ');
  const sizes = [apiMb, workerMb, longestHistory, followerLagSeconds, timerLagSeconds];
  return `| ${[minutes.toFixed(1), vaults, faults, rollbacks, ...sizes, ends].join(' | ')} |`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
