import { afterEach, expect, jest, test } from '@jest/globals';
import { createPositions } from './subscriptions.ts';

afterEach(() => {
  jest.useRealTimers();
});

test('each subscription that misses nothing gets the present number, at first and every ten minutes', () => {
  jest.useFakeTimers();
  const sent: unknown[] = [];
  let position = 7;
  const socket = { emit: (name: string, body: object) => sent.push({ name, ...body }) > 0 };
  const positions = createPositions(socket, { position: () => position });
  positions.join('vault:1');
  positions.join('vault:2');
  positions.leave('vault:1');
  position = 900;
  jest.advanceTimersByTime(600_000);
  positions.close();
  jest.advanceTimersByTime(1_200_000);
  expect(sent).toEqual([
    { name: 'position', subscription: 'vault:1', after: 7 },
    { name: 'position', subscription: 'vault:2', after: 7 },
    { name: 'position', subscription: 'vault:2', after: 900 },
  ]);
});
