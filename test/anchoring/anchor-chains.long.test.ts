import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { Pace } from '../../src/anchoring/rules/pace.ts';
import { lovelace } from '../../src/platform/units/money.ts';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { waitUntilAllConfirmed, runAnchorCheck, readProof } from './anchor-proof.ts';
import { newFactId, openBatcher } from './anchor-batcher.ts';
import { advanceClocks } from './advance-clocks.ts';

const open = (stack: TestStack, minIntervalMs = 0, pace: Partial<Pace> = {}) =>
  openBatcher({ ...stack, ledgerUrl: stack.ledger.url, minIntervalMs, pace });

/** Inserts an anchor chain that no process holds, with this output as its tip. */
async function leaveAnchorChain(
  { sql }: TestStack,
  tip: { txHash: string; index: number; lovelace: string },
): Promise<void> {
  const [id, operator] = [newFactId(), await operatorOf(sql)];
  await sql.run`insert into anchor_chains (id, held_until, tip)
      values (${id}, to_timestamp(0), ${JSON.stringify({ ...tip, address: operator, assets: {} })})`;
  await sql.run`insert into utxo_leases (tx_hash, output_index, anchor_chain_id)
      values (${tip.txHash}, ${tip.index}, ${id})`;
  const start = JSON.stringify({ kind: 'start', workflow: 'anchorSubmitter', anchorChainId: id });
  await sql.run`insert into workflow_notices (id, workflow_id, message)
      values (${newFactId()}, ${`anchor-${id}`}, ${start})`;
}

async function operatorOf(sql: TestStack['sql']): Promise<string> {
  const rows = await sql.run<{ address: string }>`select operator_address as address from platform`;
  return rows[0]?.address ?? '';
}

async function tipsOf({ sql }: TestStack): Promise<number[]> {
  const rows = await sql.run<{ lovelace: string }>`select tip->>'lovelace' as lovelace from anchor_chains`;
  return rows.map(({ lovelace }) => Number(lovelace));
}

test('an anchor chain without enough ADA is refilled while its facts wait', async () => {
  await using stack = await testStack();
  const address = await operatorOf(stack.sql);
  const { txHash } = await stack.ledger.faucet({ address, lovelace: '1500000' });
  await leaveAnchorChain(stack, { txHash, index: 0, lovelace: '1500000' });
  await using anchors = open(stack);

  const { factId, hash } = await anchors.note('from an empty anchor chain');
  const [tip, ...others] = await tipsOf(stack);
  expect(others).toEqual([]);
  expect(tip).toBeGreaterThan(90_000_000);
  await waitUntilAllConfirmed(stack);
  expect(await runAnchorCheck(stack, factId)).toContain(hash);
});

test('an anchor chain whose output was spent elsewhere continues with another output', async () => {
  await using stack = await testStack();
  await leaveAnchorChain(stack, { txHash: 'ab'.repeat(32), index: 0, lovelace: '50000000' });
  await using anchors = open(stack);
  const [first, second] = [await anchors.note('first'), await anchors.note('second')];
  await advanceClocks(stack, 60);
  await waitUntilAllConfirmed(stack);
  for (const { factId, hash } of [first, second]) {
    expect((await readProof(stack, factId)).replaced).toContain(hash);
    expect(await runAnchorCheck(stack, factId)).toMatch(/^on the ledger/);
  }
});

test('an anchor chain that cannot be read is reported, and its process continues with another', async () => {
  await using stack = await testStack({ services: ['worker'] });
  await using anchors = open(stack);
  await anchors.note('before the damage');
  const rows = await stack.sql.run<{ id: string }>`update anchor_chains
      set tip = tip || '{"lovelace": "none"}' returning id`;
  await anchors.note('after it');
  expect(anchors.unreadable).toEqual(rows.map(({ id }) => id));
  await stack.sql.run`update anchor_chains set held_until = to_timestamp(0)`;
  await using other = open(stack);
  // It takes the damaged anchor chain, which is the oldest one that nobody holds.
  await other.note('of another process');
  expect(other.unreadable).toEqual(anchors.unreadable);
  await waitUntilAllConfirmed(stack);
});

test('two processes never share an anchor chain, and a process that lost its anchor chain takes another', async () => {
  await using stack = await testStack({ services: ['worker'] });
  await using one = open(stack);
  await one.note('mine');
  await stack.sql.run`update anchor_chains set held_until = to_timestamp(0)`;
  await using other = open(stack);
  await other.note('taken over');
  await one.note('from a new anchor chain');
  const rows = await stack.sql.run<{ batches: number }>`select count(*)::int as batches
      from anchor_batches group by anchor_chain_id order by 1`;
  expect(rows).toEqual([{ batches: 1 }, { batches: 2 }]);
  await waitUntilAllConfirmed(stack);
});

test('a process that shuts down anchors the waiting facts at once and accepts no more', async () => {
  await using stack = await testStack({ services: ['worker'] });
  const anchors = open(stack, 600_000);
  await anchors.note('begins the interval');
  const waiting = anchors.note('waits');
  await anchors[Symbol.asyncDispose]();
  expect((await waiting).hash).toMatch(/^[0-9a-f]{64}$/);
  await expect(anchors.note('too late')).rejects.toMatchObject({ code: 'SERVICE_NOT_READY' });
  await waitUntilAllConfirmed(stack);
});

test('what the anchors of a day have cost outlives their process, and once the budget is spent facts wait the longest', async () => {
  await using stack = await testStack({ services: ['worker'] });
  const earlier = open(stack);
  await earlier.note('one');
  await earlier.note('two');
  await earlier[Symbol.asyncDispose]();
  const spent = async () => {
    const query = `select spent::text, (select sum(fee) from chain_transactions where kind = 'anchor')::text as fees from anchor_chains`;
    return (await stack.sql.query<{ spent: string; fees: string }>(query)).rows;
  };
  const [{ spent: before, fees }] = (await spent()) as [{ spent: string; fees: string }];
  expect(before).toBe(fees);
  expect(BigInt(fees)).toBeGreaterThan(300_000n);

  const dailyBudget = lovelace(BigInt(before) + 1n);
  const anchors = open(stack, 50, { maxIntervalMs: 600_000, dailyBudget });
  await anchors.note('spends the budget');
  expect(anchors.alarms).toEqual([{ ...anchors.cost(), intervalMs: 600_000 }]);
  const waiting = anchors.note('waits');
  expect(await Promise.race([waiting, pause(300, 'not anchored')])).toBe('not anchored');
  await anchors[Symbol.asyncDispose]();
  expect((await waiting).hash).toMatch(/^[0-9a-f]{64}$/);
  expect(anchors.alarms).toHaveLength(1);

  await stack.sql.run`update anchor_chains set spent_on = spent_on - 1`;
  await using nextDay = open(stack, 50, { maxIntervalMs: 600_000, dailyBudget });
  await nextDay.note('on the next day');
  expect(nextDay.alarms).toEqual([]);
  expect(await spent()).toEqual([{ spent: String(nextDay.cost().spentToday), fees: expect.any(String) }]);
  await waitUntilAllConfirmed(stack);
});
