import { expect, test } from '@jest/globals';
import { type AnchorsDeps, createAnchors } from './group-commit.ts';

/** Anchors whose database answers as it is told, and does nothing. */
const openAnchors = (unitOfWork: () => Promise<never[]>, deliver: () => void = () => undefined) =>
  createAnchors({
    unitOfWork,
    outboxRelay: { deliver },
    ids: { next: () => '01890a5d-ac96-774b-bcce-b302099a8057' },
    networkState: () => Promise.reject(new Error('not asked')),
    onDelay: () => undefined,
    pace: { minIntervalMs: 0, maxIntervalMs: 0, dailyBudget: 0n },
  } as unknown as AnchorsDeps);

test('writes that arrive faster than they are written are refused with a time to retry, and are not queued for ever', async () => {
  const { promise: databaseAnswers, resolve: answer } = Promise.withResolvers<never[]>();
  const anchors = openAnchors(() => databaseAnswers);
  const write = anchors.group<number, number>((_context, items) => Promise.resolve(items));
  const refused: unknown[] = [];
  const results = Array.from({ length: 30_000 }, (_, item) => {
    try {
      return write(item);
    } catch (error) {
      refused.push(error);
      return undefined;
    }
  });

  expect(refused).toHaveLength(10_000);
  expect(refused[0]).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', details: { retryAfterSeconds: 1 } });
  answer([]);
  await anchors.close();
  expect(results.filter((result) => result !== undefined)).toHaveLength(20_000);
});

test('the message to the anchor chain is delivered without a later batch, and at once when the process shuts down', async () => {
  let batches = 0;
  const deliveredAfter: number[] = [];
  const anchors = openAnchors(
    () => Promise.resolve([]).finally(() => (batches += 1)),
    () => deliveredAfter.push(batches),
  );
  const write = anchors.group<number, number>((_context, items) => Promise.resolve(items));
  const isTrue = async (condition: () => boolean) => {
    while (!condition()) await new Promise(setImmediate);
  };
  void write(1);
  await isTrue(() => deliveredAfter.at(-1) === 1);
  for (const number of [2, 3]) {
    void write(number);
    await isTrue(() => batches === number);
  }
  await anchors.close();
  expect(deliveredAfter.at(-1)).toBe(3);
});
