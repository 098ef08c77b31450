import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { waitUntilAllConfirmed, type Note } from './anchor-proof.ts';
import { openBatcher } from './anchor-batcher.ts';

const script = fileURLToPath(new URL('./recorder-process.ts', import.meta.url));

/** Starts a process that records facts, as an api does, until it is killed. */
function recorder({ databaseUrl, ledger, temporal }: TestStack) {
  const surroundings = JSON.stringify({ databaseUrl, ledgerUrl: ledger.url, temporal, minIntervalMs: 20 });
  const args = ['--disable-warning=ExperimentalWarning', script, surroundings];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const answered: Note[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => answered.push(JSON.parse(line) as Note));
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  return { answered, kill, [Symbol.asyncDispose]: kill };
}

test('after SIGKILL of an api every fact that it confirmed is in a batch, and the batch is confirmed', async () => {
  await using stack = await testStack({ services: ['worker'] });
  await using doomed = recorder(stack);
  await until(() => doomed.answered.length > 40, { what: 'facts to be answered' });
  await doomed.kill();
  await waitUntilAllConfirmed(stack);

  const rows = await stack.sql.run<{ id: string; hash: string }>`select f.id, t.hash
      from anchor_facts f join anchor_batches b on b.id = f.batch_id
      join chain_transactions t on t.id = b.transaction_id`;
  const anchored = new Map(rows.map(({ id, hash }) => [id, hash]));
  expect(doomed.answered.filter(({ factId, hash }) => anchored.get(factId) !== hash)).toEqual([]);

  // The next process that needs an anchor chain takes over this one.
  await stack.sql.run`update anchor_chains set held_until = to_timestamp(0)`;
  await using heir = openBatcher({ ...stack, ledgerUrl: stack.ledger.url, minIntervalMs: 0 });
  await heir.note('inherited');
  await waitUntilAllConfirmed(stack);
  const anchorChains = await stack.sql.query('select id from anchor_chains');
  expect(anchorChains.rows).toHaveLength(1);
});

test('after SIGKILL of the worker while it submits an anchor chain, each anchor is on the ledger once', async () => {
  await using stack = await testStack({ services: ['worker'] });
  await using anchors = openBatcher({ ...stack, ledgerUrl: stack.ledger.url, minIntervalMs: 0 });
  await stack.ledger.faults({ delayMs: 50 });
  const recording = (async () => {
    for (let number = 0; number < 20; number += 1) await anchors.note(`fact ${number}`);
  })();
  const sentSome = async () => {
    const rows = await stack.sql.run`select 1 from chain_transactions where kind = 'anchor' and state <> 'pending'`;
    return rows.length > 2;
  };
  await until(sentSome, { what: 'some to be sent' });
  await stack.kill('worker');
  await recording;
  await stack.ledger.faults({});
  await stack.restart('worker');
  await waitUntilAllConfirmed(stack);

  const rows = await stack.sql.run<{ hash: string }>`select hash from chain_transactions where kind = 'anchor'`;
  const ours = new Set(rows.map(({ hash }) => hash));
  const listed = await stack.ledger.query<{ tx_hash: string }[]>('/metadata/txs/labels/868483?count=100');
  const onLedger = (listed ?? []).map(({ tx_hash: hash }) => hash);
  expect(onLedger).toHaveLength(20);
  expect(new Set(onLedger)).toEqual(ours);
});
