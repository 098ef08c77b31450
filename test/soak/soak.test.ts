import { availableParallelism, cpus } from 'node:os';
import { expect, test } from '@jest/globals';
import { expectAtRest } from '../chaos/at-rest.ts';
import { insistingStack } from '../chaos/insisting-stack.ts';
import { stop, victims, ways } from '../chaos/stops.ts';
import { undisturbed } from '../chaos/undisturbed.ts';
import { lifeSteps } from '../chaos/life-steps.ts';
import { begin, cast, type LifeStack, outcomeOf, type Step, takeStep, untilFinal } from '../chaos/vault-life.ts';
import { nothingToLose } from '../chaos/watch-points.ts';
import { seededRandom } from '../stack/lying-ledger.ts';
import { ownPostgres, ownTemporal } from '../stack/own-servers.ts';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { type Measured, measureStack } from './measure-stack.ts';

/** `npm run soak` sets them. */
const { SOAK_MINUTES = '1', SOAK_SEED = '1' } = process.env;
const VAULTS_AT_ONCE = 3;
/** A step is disturbed by a fault, and by a rollback, with these probabilities. */
const [FAULTS, ROLLBACKS] = [0.3, 0.3];
/** Confirmations of a final transaction, as on a public network. What is deeper is an operator's to decide. */
const FINAL = 15;
const DEEPEST_ROLLBACK = FINAL - 1;
const BLOCK_MS = 200;
const DISHONEST = 0.03;
const STOPPED_MS = 10_000;

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
    const random = seededRandom(Number(SOAK_SEED));
    const counts: Counts = { vaults: 0, faults: 0, rollbacks: 0 };
    const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
    /** At most one fault and one rollback, while a step is taken. */
    const disturb = async ({ kinds, advanceBy }: Step) => {
      if (random() < FAULTS) {
        counts.faults += 1;
        await stop(stack, servers, { victim: pick(victims), way: pick(ways), stoppedMs: STOPPED_MS }, nothingToLose);
      }
      // What is rolled back while the clock moves by days can never land again, and faucets send nothing again.
      if (random() < ROLLBACKS && advanceBy === undefined && kinds.length > 0) {
        counts.rollbacks += 1;
        await rollBack(stack, 1 + Math.floor(random() * DEEPEST_ROLLBACK));
      }
    };
    stack.liar.lieAtRandom([Number(SOAK_SEED)], DISHONEST);
    const begun = performance.now();
    const minutes = () => (performance.now() - begun) / 60_000;
    print(`${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, seed ${SOAK_SEED}`);
    print('| min | vaults | faults | rollbacks | api MB | worker MB | longest history | lag s | delinquent |');
    print('|--:|--:|--:|--:|--:|--:|--:|--:|--:|');
    do {
      await liveTogether(stack, insisting, counts, disturb);
      const measured = await measureStack(stack);
      print(row(minutes(), counts, measured));
      await untilNothingIsOverdue(stack);
    } while (minutes() < Number(SOAK_MINUTES));
    stack.liar.beHonest();
    await expectAtRest(stack);
  },
  (Number(SOAK_MINUTES) + 30) * 60_000,
);

/** Rolls back and waits until the service follows the ledger's blocks again. */
async function rollBack({ sql, ledger }: TestStack, blocks: number): Promise<void> {
  await ledger.rollback(blocks);
  const isFollowed = async () => {
    const { rows } = await sql.query<{ hash: string; height: string }>(
      'select hash, height from blocks order by height desc limit 1',
    );
    const block = await ledger.query<{ hash: string }>(`/blocks/${rows[0]?.height}`);
    return block?.hash === rows[0]?.hash;
  };
  await until(isFollowed, { what: `the rollback of ${blocks} blocks to be followed` });
}

/** Some vaults from their creation to their end, each step disturbed. */
async function liveTogether(
  stack: TestStack,
  insisting: LifeStack,
  counts: Counts,
  disturb: (step: Step) => Promise<void>,
): Promise<void> {
  const numbers = Array.from({ length: VAULTS_AT_ONCE }, (_, index) => 2000 + 10 * (counts.vaults + index));
  const people = await Promise.all(numbers.map((number) => cast(stack, number, `Soak ${number}`)));
  // No rollback takes what the persons were given.
  await stack.ledger.mine(DEEPEST_ROLLBACK + 1);
  const lives = await Promise.all(people.map((one) => begin(insisting, one)));
  for (const step of lifeSteps) {
    await Promise.all([takeStep(insisting, lives, step), disturb(step)]);
    await untilFinal(insisting, lives);
  }
  for (const life of lives) expect(await outcomeOf(insisting, life)).toEqual(undisturbed);
  counts.vaults += VAULTS_AT_ONCE;
}

/** The clock has just moved by days: what is overdue by its time has had a moment only. */
async function untilNothingIsOverdue(stack: TestStack): Promise<void> {
  const isDone = async () => (await measureStack(stack)).delinquent === 0;
  await until(isDone, { what: 'nothing to be overdue', deadlineMs: 60_000 });
}

function row(minutes: number, { vaults, faults, rollbacks }: Counts, measured: Measured): string {
  const { apiMb, workerMb, longestHistory, lagSeconds, delinquent } = measured;
  const cells = [
    minutes.toFixed(1),
    vaults,
    faults,
    rollbacks,
    apiMb,
    workerMb,
    longestHistory,
    lagSeconds,
    delinquent,
  ];
  return `| ${cells.join(' | ')} |`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
