import { expect, test } from '@jest/globals';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { waitUntilAllConfirmed, runAnchorCheck, type Note, readProof } from './anchor-proof.ts';
import { openBatcher } from './anchor-batcher.ts';
import { advanceClocks } from './advance-clocks.ts';

const notes = (anchors: { note: (text: string) => Promise<Note> }, texts: readonly string[]) =>
  Promise.all(texts.map((text) => anchors.note(text)));

async function statesOf({ sql }: TestStack): Promise<string[]> {
  const rows = await sql.run<{ state: string }>`select state from chain_transactions
      where kind = 'anchor' order by created_at`;
  return rows.map(({ state }) => state);
}

test('a ledger outage delays anchors and loses none, and a replaced transaction names its replacement', async () => {
  await using stack = await testStack({ blockMs: 300 });
  await using anchors = openBatcher({ ...stack, ledgerUrl: stack.ledger.url, minIntervalMs: 100 });
  const before = await notes(anchors, ['before']);
  await waitUntilAllConfirmed(stack);

  await stack.ledger.faults({ all: 'down' });
  // Another process needs the ledger for its first anchor chain.
  await using others = openBatcher({ ...stack, ledgerUrl: stack.ledger.url, minIntervalMs: 100 });
  const notReady = { code: 'SERVICE_NOT_READY', details: { waitingFor: 'ledger' } };
  await expect(others.note('elsewhere')).rejects.toMatchObject(notReady);
  const during: Note[] = [];
  for (const text of ['one', 'two', 'three']) during.push(...(await notes(anchors, [text])));
  expect(await statesOf(stack)).toEqual([expect.stringMatching('confirmed|final'), 'pending', 'pending', 'pending']);

  // Ten minutes later these transactions can still be confirmed; three hours later they cannot.
  await advanceClocks(stack, 600);
  await notes(anchors, ['ten minutes later']);
  await advanceClocks(stack, 3 * 3600);
  const late = await notes(anchors, ['three hours later']);
  await stack.ledger.faults({});
  await waitUntilAllConfirmed(stack);

  for (const { factId, hash } of during) {
    const proof = await readProof(stack, factId);
    expect(proof.replaced).toEqual([hash]);
    const old = await stack.api.get<{ data: { status: string; replacedBy: string } }>(`/transactions/${hash}`);
    expect(old.body.data).toMatchObject({ replacedBy: proof.txHash, blockHeight: null });
    expect(['expired', 'failed']).toContain(old.body.data.status);
  }
  for (const { factId } of [...before, ...during, ...late]) {
    expect(await runAnchorCheck(stack, factId)).toMatch(/^on the ledger/);
  }
});

test('an anchor whose block is rolled back is confirmed again with the same bytes', async () => {
  await using stack = await testStack({ blockMs: 0 });
  await using anchors = openBatcher({ ...stack, ledgerUrl: stack.ledger.url, minIntervalMs: 0 });
  for (const text of ['a', 'b', 'c']) await anchors.note(text);
  const bytes = async () =>
    await stack.sql.run<{ cbor: string }>`select signed_cbor as cbor from chain_transactions order by created_at`;
  await until(async () => (await stack.ledger.mempoolSize()) === 3, { what: 'three chained anchors to wait' });
  await stack.ledger.mine(2);
  await waitUntilAllConfirmed(stack);
  const sent = await bytes();

  await stack.ledger.rollback(2);
  await until(async () => (await statesOf(stack)).every((state) => state === 'submitted'), { what: 'them to be back' });
  await until(async () => (await stack.ledger.mempoolSize()) === 3, { what: 'all three to be sent again' });
  await stack.ledger.mine(4);
  await until(async () => (await statesOf(stack)).every((state) => state === 'final'), { what: 'them to be final' });
  expect(await bytes()).toEqual(sent);
});

test('advancing the development clock returns only when every fact is on the ledger', async () => {
  await using stack = await testStack({ blockMs: 0 });
  await using anchors = openBatcher({ ...stack, ledgerUrl: stack.ledger.url, minIntervalMs: 0 });
  for (const text of ['a', 'b', 'c']) await anchors.note(text);
  const moved = await stack.root.post('/dev/clock/advance', { seconds: 3 * 3600 });
  expect(moved.status).toBe(200);
  expect(await statesOf(stack)).toEqual(['final', 'final', 'final']);
  await anchors.note('d');
  await stack.root.post('/dev/clock/advance', { seconds: 1 });
  expect(await statesOf(stack)).toEqual(['final', 'final', 'final', 'final']);
});
