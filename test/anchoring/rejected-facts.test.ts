import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { createIdempotency } from '../../src/platform/http/idempotency.ts';
import { wallClock } from '../../src/platform/units/time.ts';
import { fileStack } from '../stack/file-stack.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { waitUntilAllConfirmed, runAnchorCheck, readProof } from './anchor-proof.ts';
import { newFactId, openBatcher } from './anchor-batcher.ts';
import { errorResponse } from '../stack/error-response.ts';

const open = (stack: TestStack, minIntervalMs = 200) =>
  openBatcher({ ...stack, ledgerUrl: stack.ledger.url, minIntervalMs });

const stackOfFile = fileStack();

async function count({ sql: db }: TestStack, table: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(`select count(*)::int as count from ${table}`);
  return rows[0]?.count ?? 0;
}

/** The rows that a test may add to, from before it ran. */
const counts = async (stack: TestStack) => ({
  facts: await count(stack, 'anchor_facts'),
  confirmed: await count(stack, 'anchor_batches where confirmed'),
  transactions: await count(stack, 'chain_transactions'),
});

test('a refused request does not affect the other requests of its batch', async () => {
  const stack = stackOfFile();
  await stack.sql.run`create table notes (text text)`;
  await using anchors = open(stack);

  const write = (text: string, fails: 'early' | 'late' | 'never') =>
    anchors.record(async (work) => {
      await sql`insert into notes values (${text})`.execute(work.tx);
      if (fails === 'early') throw new Error(`no ${text}`);
      const factId = newFactId();
      const hash = await work.anchor({ factId, vaultId: null, fact: { text } });
      if (fails === 'late') await sql`insert into nowhere values (${hash})`.execute(work.tx);
      return { factId, hash };
    });
  const vote = anchors.group(async (work, items: readonly number[]) => {
    const accepted = items.filter((item) => item % 2 === 0);
    const facts = accepted.map((item) => ({ factId: newFactId(), vaultId: null, fact: { item } }));
    const hash = await work.anchor(...facts);
    return items.map((item) => (item % 2 === 0 ? hash : new Error(`no ${item}`)));
  });
  const [singles, votes] = await Promise.all([
    Promise.allSettled(
      Array.from({ length: 30 }, (_, n) => write(`${n}`, n === 7 ? 'early' : n === 11 ? 'late' : 'never')),
    ),
    Promise.allSettled(Array.from({ length: 20 }, (_, item) => vote(item))),
  ]);

  expect(singles.flatMap(({ status }, n) => (status === 'rejected' ? n : []))).toEqual([7, 11]);
  expect(votes.flatMap(({ status }, n) => (status === 'rejected' ? n : []))).toEqual([
    1, 3, 5, 7, 9, 11, 13, 15, 17, 19,
  ]);
  expect(await count(stack, 'notes')).toBe(28);
  expect(await count(stack, 'anchor_facts')).toBe(38);
  const hashes = new Set([
    ...singles.flatMap((end) => (end.status === 'fulfilled' ? end.value.hash : [])),
    ...votes.flatMap((end) => (end.status === 'fulfilled' ? end.value : [])),
  ]);
  expect(hashes.size).toBe(1);

  await waitUntilAllConfirmed(stack);
  const [first] = singles;
  if (first?.status !== 'fulfilled') throw new Error('the first was refused');
  const { factId, hash } = first.value;
  expect(await readProof(stack, factId)).toMatchObject({ fact: '{"text":"0"}', txHash: hash, replaced: [] });
  expect(await runAnchorCheck(stack, factId)).toBe(`on the ledger, in ${hash}: {"text":"0"}`);
  const read = await stack.api.get<{ data: object }>(`/transactions/${hash}`);
  expect(read.body.data).toMatchObject({ kind: 'anchor', vaultId: null, signer: 'platform', replacedBy: null });
  const unknown = await stack.api.get(`/anchors/${newFactId()}/proof`);
  expect(unknown).toMatchObject(errorResponse(404, 'ANCHOR_NOT_FOUND'));
});

test('a closed batch that hits a deadlock is written again, and no request is refused', async () => {
  const stack = stackOfFile();
  const before = await counts(stack);
  await using anchors = open(stack);
  let attempts = 0;
  const unlucky = anchors.record(async (work) => {
    attempts += 1;
    const hash = await work.anchor({ factId: newFactId(), vaultId: null, fact: { attempts } });
    if (attempts === 1)
      await sql`do $$ begin raise exception using errcode = 'deadlock_detected'; end $$`.execute(work.tx);
    return hash;
  });
  const beside = anchors.record((work) => work.anchor({ factId: newFactId(), vaultId: null, fact: {} }));

  expect(await unlucky).toBe(await beside);
  expect(attempts).toBe(2);
  expect(await count(stack, 'anchor_facts')).toBe(before.facts + 2);
  await until(async () => (await count(stack, 'anchor_batches where confirmed')) === before.confirmed + 1, {
    what: 'the batch to land',
  });
});

test('a batch whose requests are all refused anchors nothing, and a repeated request gets the same response', async () => {
  const stack = stackOfFile();
  const before = await counts(stack);
  await using anchors = open(stack);
  const refused = anchors.record(() => Promise.reject(new Error('no')));
  await expect(refused).rejects.toThrow('no');
  expect(await count(stack, 'chain_transactions')).toBe(before.transactions);

  const twin = () => {
    const request = { apiKeyId: 'key', wallet: null, operation: 'note', key: 'same', url: '/', body: {} };
    const idempotency = createIdempotency(request, wallClock);
    return anchors.record((work) =>
      idempotency.once(work.tx, async () => {
        const hash = await work.anchor({ factId: newFactId(), vaultId: null, fact: {} });
        return { status: 201, body: { hash } };
      }),
    );
  };
  const [one, other] = await Promise.all([twin(), twin()]);
  expect(other.body).toEqual(one.body);
  expect(other).toHaveProperty('headers', { 'Idempotency-Replayed': 'true' });
  expect(await count(stack, 'anchor_facts')).toBe(before.facts + 1);
  await until(async () => (await count(stack, 'anchor_batches where confirmed')) === before.confirmed + 1, {
    what: 'the batch to land',
  });
});
