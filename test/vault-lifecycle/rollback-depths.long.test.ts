import { expect, test } from '@jest/globals';
import { expectAtRest } from '../chaos/at-rest.ts';
import { expectedOutcome } from '../chaos/expected-outcome.ts';
import { stepsOf } from '../chaos/life-steps.ts';
import { usualLives } from '../chaos/traits.ts';
import { begin, cast, holdersOf, type Life, outcomeOf, type Step, takeStep, untilFinal } from '../chaos/vault-life.ts';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { mineUntil } from './mine-until.ts';
import { holdings } from './participants.ts';
import { rollBackFrom } from './roll-back-transactions.ts';
import { expectUndoneAtEachDepth } from './undone-at-each-depth.ts';

const FINAL = 15;
/** So often nothing is sent before a block is made all the same. */
const IDLE_POLLS = 20;

/** Each step is rolled back on the ledger with one of 1 to 14 confirmations, and all of them are there; in Postgres alone with each. */
const depthOf = (position: number) => 1 + ((5 * position) % (FINAL - 1));

/** Few outputs: one is split while the vaults are created. */
const operatorFunds = { lovelace: 10_000_000_000n, count: 4 };

/** What `begin` has done. */
const creation: Step = { name: 'create', kinds: ['create_vault', 'fan_out'] };
const steps = [creation, ...stepsOf(usualLives)];

test('what is rolled back with 1 to 15 confirmations is confirmed again, whatever its kind, and nothing is lost or done twice', async () => {
  const environment = { CONFIRMATION_DEPTH: String(FINAL), LEDGER_BLOCK_MS: '200' };
  await using stack = await testStack({ blockMs: 0, environment, operatorFunds });
  const casting = usualLives.map((traits, place) =>
    cast(stack, traits, { first: 401 + 10 * place, name: `Deep ${place}` }),
  );
  const casts = await mineUntil(stack, Promise.all(casting));
  // No rollback takes what the persons were given.
  await stack.ledger.mine(2 * FINAL);
  const lives = await mineUntil(stack, Promise.all(casts.map((people) => begin(stack, people))));
  const undone = new Map<string, Set<number>>();
  let position = 0;
  for (const step of steps) {
    const hashes = await sentBy(stack, lives, step);
    if (hashes.length === 0) continue;
    await land(stack, hashes);
    await expectUndoneAtEachDepth(stack, hashes);
    const isNew = step.kinds.some((kind) => !hasBeen(undone, kind, FINAL));
    for (const depth of [depthOf(position), ...(isNew ? [FINAL] : [])])
      for (const kind of await rollBackAt(stack, lives, hashes, depth))
        undone.set(kind, (undone.get(kind) ?? new Set()).add(depth));
    position += 1;
    await stack.ledger.mine(FINAL);
    await mineUntil(stack, untilFinal(stack, lives));
  }

  for (const { kinds } of steps)
    for (const kind of kinds) expect([kind, hasBeen(undone, kind, FINAL)]).toEqual([kind, true]);
  const depths = new Set([...undone.values()].flatMap((reached) => [...reached]));
  expect([...depths].toSorted((a, b) => a - b)).toEqual(Array.from({ length: FINAL }, (_, below) => below + 1));
  expect(await Promise.all(lives.map((life) => outcomeOf(stack, life)))).toEqual(usualLives.map(expectedOutcome));
  await mineUntil(stack, expectAtRest(stack));
});

/** Whether a kind was rolled back at a depth. */
function hasBeen(undone: ReadonlyMap<string, ReadonlySet<number>>, kind: string, depth: number): boolean {
  return undone.get(kind)?.has(depth) ?? false;
}

/** Takes a step until its transactions are sent; returns their hashes. */
async function sentBy(stack: TestStack, lives: readonly Life[], step: Step) {
  const before = await stack.sql.run<{ id: string }>`select id from chain_transactions`;
  // What waits for the ledger gets as many blocks as it needs.
  await (step.isDone ? mineUntil(stack, takeStep(stack, lives, step)) : takeStep(stack, lives, step));
  // What nobody asks for may have been sent with the step before.
  const isAsked = step.take !== undefined || step.moveClock !== undefined;
  const known = isAsked ? before.map(({ id }) => id) : [];
  return until(
    async () => {
      const rows = await stack.sql.run<{ kind: string; hash: string; state: string }>`select kind, hash, state
          from chain_transactions where kind = any(${step.kinds}) and id <> all(${known}::uuid[])`;
      // The clock may pass the end of one that waits for a block, which is then built again.
      const sent = rows.filter(({ state }) => state !== 'expired');
      const areSent = sent.every(({ state }) => ['submitted', 'confirmed', 'final'].includes(state));
      const isEachThere = step.kinds.every((wanted) => sent.some(({ kind }) => kind === wanted));
      return isEachThere && areSent && sent.map(({ hash }) => hash);
    },
    { what: `the transactions of step ${step.name} to be sent` },
  );
}

/**
 * Rolls back transactions when the newest has so many confirmations, and waits until all are final again and everything is as it was.
 * Returns their kinds.
 */
async function rollBackAt(
  stack: TestStack,
  lives: readonly Life[],
  hashes: readonly string[],
  depth: number,
): Promise<string[]> {
  await land(stack, hashes);
  const newest = async () => {
    const rows = await stack.sql.run<{ confirmations: number; kinds: string[] }>`select ((select max(height)
        from blocks) - max(block_height) + 1)::int as confirmations,
        array_agg(distinct kind) as kinds from chain_transactions where hash = any(${hashes})`;
    return rows[0] ?? { confirmations: 0, kinds: [] };
  };
  const { confirmations, kinds } = await newest();
  if (depth > confirmations) await stack.ledger.mine(depth - confirmations);
  await until(async () => (await newest()).confirmations >= depth, { what: `${depth} confirmations` });
  const before = await seenOf(stack, lives);
  await rollBackFrom(stack, hashes);
  await land(stack, hashes);
  const isAsBefore = async () => {
    // What came after it was rolled back, too, and is sent again by and by.
    if ((await stack.ledger.mempoolSize()) > 0) await stack.ledger.mine();
    return JSON.stringify(await seenOf(stack, lives)) === JSON.stringify(before);
  };
  await until(isAsBefore, { what: `everything to be ${JSON.stringify(before)} again`, deadlineMs: 60_000 });
  return (await newest()).confirmations > depth && depth < FINAL ? [] : kinds;
}

/** Makes blocks until all transactions are in one: at once while some are sent, else rarely, because they are sent again after a block. */
async function land(stack: TestStack, hashes: readonly string[]): Promise<void> {
  const missing = async () => {
    const rows = await stack.sql.run`select 1 from chain_transactions
        where hash = any(${hashes}) and state not in ('confirmed', 'final')`;
    return rows.length;
  };
  let idle = 0;
  await until(
    async () => {
      if ((await missing()) === 0) return true;
      idle = (await stack.ledger.mempoolSize()) > 0 ? 0 : idle + 1;
      if (idle % IDLE_POLLS === 0) await stack.ledger.mine();
      return false;
    },
    { what: `${hashes.join(' and ')} to be in a block` },
  );
}

async function seenOf(stack: TestStack, lives: readonly Life[]) {
  const wallets = lives.flatMap((life) => [...holdersOf(life), life.buyer, life.heir]);
  const [outcomes, held] = await Promise.all([
    Promise.all(lives.map((life) => outcomeOf(stack, life))),
    Promise.all(wallets.map(({ address }) => holdings(stack, address))),
  ]);
  return { outcomes, held: held.map((units) => [...units].map(String).toSorted()) };
}
