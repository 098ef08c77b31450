import { expect, test } from '@jest/globals';
import { type AnchorsDeps, createAnchors } from './group-commit.ts';

test('writes that arrive faster than they are written are refused with a time to retry, and are not queued for ever', async () => {
  const { promise: databaseAnswers, resolve: answer } = Promise.withResolvers<never[]>();
  const anchors = createAnchors({
    unitOfWork: () => databaseAnswers,
    outboxRelay: { deliver: () => undefined },
    ids: { next: () => '01890a5d-ac96-774b-bcce-b302099a8057' },
    networkState: () => Promise.reject(new Error('not asked')),
    onDelay: () => undefined,
    pace: { minIntervalMs: 0, maxIntervalMs: 0, dailyBudget: 0n },
  } as unknown as AnchorsDeps);
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
