import { expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { fundedDevWallet, signAndSend } from '../dev/dev-wallet.ts';
import { holdLocks } from '../stack/hold-locks.ts';
import { fileStack } from '../stack/file-stack.ts';
import { operator } from '../stack/operator.ts';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { addNft, advance, createSlowVault, DAY, invest, timeOf } from './slow-vault.ts';

const stackOfFile = fileStack({ apiProcess: true });

test('37 days of a vault pass when they are asked for: every timer fires once and in order, no price is stale, nothing expires', async () => {
  const stack = stackOfFile();
  const contributor = await fundedDevWallet(stack, 100, { Dawn: 1 });
  const investor = await fundedDevWallet(stack, 100_000);
  const vaultId = await createSlowVault(stack, contributor);
  await until(() => windowIs(stack, vaultId, 'asset', 'ACTIVE'), { what: 'the asset window is open' });
  await signAndSend(stack, contributor, await addNft(stack, vaultId, contributor, 'Dawn'));

  const before = await timeOf(stack);
  const first = await advance(stack, 28 * DAY);
  await signAndSend(stack, investor, await invest(stack, vaultId, investor, 90_000_000_000));
  const second = await advance(stack, 9 * DAY);

  process.stdout.write(`37 days took ${(first / 1000).toFixed(1)} s + ${(second / 1000).toFixed(1)} s of wall time\n`);
  expect(await timeOf(stack)).toBeGreaterThanOrEqual(before + 37 * DAY * 1000);
  expect(await eventsOf(stack, vaultId, ['WINDOW_STATUS_CHANGED', 'VAULT_STATUS_CHANGED'])).toEqual([
    expect.stringContaining('asset ACTIVE'),
    expect.stringContaining('vault ACTIVE'),
    expect.stringContaining('investment ACTIVE'),
    expect.stringContaining('asset COMPLETED'),
    expect.stringContaining('investment COMPLETED'),
    expect.stringContaining('vault LOCKED'),
  ]);
  const lateness = await latenessOfCloses(stack, vaultId);
  expect(lateness).toHaveLength(2);
  for (const lateMs of lateness) {
    expect(lateMs).toBeGreaterThanOrEqual(0);
    expect(lateMs).toBeLessThan(600_000);
  }
  expect(await eventsOf(stack, vaultId, ['VAULT_HELD'])).toEqual([]);
  expect(await oldestPriceHours(stack)).toBeLessThan(24);
  const rows = await stack.sql.run`SELECT state, count(*)::int FROM chain_transactions GROUP BY state`;
  expect(rows).toEqual([{ state: 'final', count: expect.any(Number) }]);
  // The investment window opens, the asset window closes, the investment window closes; the asset window was open at once.
  expect(await timersFired(stack, vaultId)).toBe(3);
});

test('a signed transaction is confirmed before the clock passes its TTL; an unsigned one expires at its deadline', async () => {
  await using stack = await testStack({ blockMs: 0 });
  const owner = await fundedDevWallet(stack, 100, { Dawn: 1 });
  const other = await fundedDevWallet(stack, 100, { Dusk: 1 });
  const vaultId = await createSlowVault(stack, owner);
  await until(() => windowIs(stack, vaultId, 'asset', 'ACTIVE'), { what: 'the asset window is open' });
  const signed = await addNft(stack, vaultId, owner, 'Dawn');
  const unsigned = await addNft(stack, vaultId, other, 'Dusk');
  await signAndSend(stack, owner, signed);

  await advance(stack, 20 * DAY);

  expect(await stateOf(stack, signed.hash)).toMatchObject({ state: 'final' });
  const { state, endedAt } = await stateOf(stack, unsigned.hash);
  expect(state).toBe('expired');
  const late = endedAt - Date.parse(unsigned.expiresAt);
  expect(late).toBeGreaterThanOrEqual(0);
  expect(late).toBeLessThan(600_000);
});

test('only one request can advance the clock at a time', async () => {
  const stack = stackOfFile();
  const owner = await fundedDevWallet(stack, 100);
  await createSlowVault(stack, owner);
  const seconds = { seconds: 60 * DAY };
  let answered = 0;
  const move = () => stack.root.post('/dev/clock/advance', seconds).finally(() => (answered += 1));
  // The first request is still moving the clock when the others arrive.
  const moves = await holdLocks(
    stack,
    `select pg_advisory_xact_lock_shared(hashtextextended('clock', 0))`,
    async () => {
      const asked = [move(), move(), move()];
      await until(() => answered === 2, { what: 'two of them to be refused' });
      return { asked };
    },
  );
  const answers = await Promise.all(moves.asked);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
  const refusals = answers.filter(({ status }) => status !== 200).map(({ body }) => body);
  expect(refusals).toMatchObject([{ error: { code: 'CLOCK_IS_MOVING' } }, { error: { code: 'CLOCK_IS_MOVING' } }]);
});

test('the clock can still be advanced after `ops migrate` ran beside the stack', async () => {
  const stack = stackOfFile();
  const before = await timeOf(stack);

  await operator(stack, 'migrate');
  await advance(stack, 60);

  expect(await timeOf(stack)).toBeGreaterThanOrEqual(before + 60_000);
});

test('if an api is killed while it advances the clock, the clocks agree again and no event happens twice', async () => {
  const stack = stackOfFile();
  const owner = await fundedDevWallet(stack, 100, { Dawn: 1 });
  const vaultId = await createSlowVault(stack, owner);
  await until(() => windowIs(stack, vaultId, 'asset', 'ACTIVE'), { what: 'the asset window is open' });
  const before = await timeOf(stack);
  const offsetBefore = await offsetOf(stack);
  // No window changes meanwhile, so the move stops at the first change that is due.
  await holdLocks(stack, 'lock table windows in share mode', async () => {
    const broken = stack.root.post('/dev/clock/advance', { seconds: 60 * DAY }).catch(() => 'broken');
    await until(async () => (await offsetOf(stack)) > offsetBefore, { what: 'the clock moves' });
    await stack.kill('api');
    expect(await broken).toBe('broken');
  });

  await stack.restart('api');
  expect((await stack.ledger.clock()).offsetMs).toBe(await offsetOf(stack));
  await advance(stack, 60 * DAY);

  expect(await timeOf(stack)).toBeGreaterThanOrEqual(before + 60 * DAY * 1000);
  expect((await stack.ledger.clock()).offsetMs).toBe(await offsetOf(stack));
  const events = await eventsOf(stack, vaultId, ['WINDOW_STATUS_CHANGED', 'VAULT_STATUS_CHANGED']);
  expect(new Set(events).size).toBe(events.length);
  expect(events.at(-1)).toBe('vault TERMINATED');
});

async function windowIs({ sql }: TestStack, vaultId: string, kind: string, status: string): Promise<boolean> {
  const rows = await sql.run<{ status: string }>`SELECT status FROM windows WHERE vault_id = ${vaultId} AND kind
      = ${kind}`;
  return rows[0]?.status === status;
}

/** Events with their subjects, in the order of the event numbers. */
async function eventsOf({ sql }: TestStack, vaultId: string, types: readonly string[]): Promise<string[]> {
  const { rows } = await until(
    async () => {
      const found = await sql.query<{ what: string; seq: string | null }>(
        "SELECT coalesce(data->>'window', 'vault') || ' ' || (data->>'to') AS what, seq FROM outbox WHERE vault_id = $1 AND type = ANY($2) ORDER BY seq",
        [vaultId, types],
      );
      return found.rows.every(({ seq }) => seq !== null) && found;
    },
    { what: 'every event has its number' },
  );
  return rows.map(({ what }) => what);
}

/** How long after their ends the windows were closed, by the clock of the stack. */
async function latenessOfCloses({ sql }: TestStack, vaultId: string): Promise<number[]> {
  const rows = await sql.run<{ late: string }>`
      SELECT extract(epoch FROM closed_at - ends_at) * 1000 AS late FROM windows WHERE vault_id = ${vaultId}`;
  return rows.map(({ late }) => Number(late));
}

async function oldestPriceHours(stack: TestStack): Promise<number> {
  const rows = await stack.sql.run<{ oldest: Date }>`SELECT min(as_of) AS oldest FROM prices`;
  return ((await timeOf(stack)) - Number(rows[0]?.oldest)) / 3_600_000;
}

async function stateOf({ sql }: TestStack, hash: string): Promise<{ state: string; endedAt: number }> {
  const rows = await sql.run<{ state: string; updated_at: Date }>`SELECT state,
      updated_at FROM chain_transactions WHERE hash = ${hash}`;
  return { state: rows[0]?.state ?? 'unknown', endedAt: Number(rows[0]?.updated_at) };
}

async function offsetOf({ sql }: TestStack): Promise<number> {
  const rows = await sql.run<{ offset_ms: string }>`SELECT offset_ms FROM clock_offset`;
  return Number(rows[0]?.offset_ms);
}

/** In all runs of the vault's workflow, without those that only read again, in case that a signal was lost. */
async function timersFired({ temporal }: TestStack, vaultId: string): Promise<number> {
  const connection = await Connection.connect({ address: temporal.address });
  const client = new Client({ connection, namespace: temporal.namespace });
  const workflowId = `vault-${vaultId}`;
  let count = 0;
  for await (const { runId } of client.workflow.list({ query: `WorkflowId = "${workflowId}"` })) {
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    const all = events ?? [];
    const slow = all
      .filter(({ userMetadata }) => Buffer.from(userMetadata?.summary?.data ?? []).includes('(checks again'))
      .map(({ timerStartedEventAttributes }) => timerStartedEventAttributes?.timerId);
    const fired = all.flatMap(({ timerFiredEventAttributes }) => timerFiredEventAttributes?.timerId ?? []);
    count += fired.filter((timerId) => !slow.includes(timerId)).length;
  }
  await connection.close();
  return count;
}
