import { expect, test } from '@jest/globals';
import { instant } from '../platform/units/time.ts';
import { viewRotationSteps } from './rules.ts';

const [one, two, three] = [1, 2, 3].map((second) => instant(second * 1000)) as [
  ReturnType<typeof instant>,
  ReturnType<typeof instant>,
  ReturnType<typeof instant>,
];
const announced = { isUrgent: false, begunAt: null, changedAt: null, finishedAt: null, cancelledAt: null };
const statuses = (rotation: Parameters<typeof viewRotationSteps>[0], moves: Parameters<typeof viewRotationSteps>[1]) =>
  viewRotationSteps(rotation, moves, three).map(({ status }) => status);

test('a step runs once the one before it is done', () => {
  expect(statuses(announced, [])).toEqual(['running', 'pending', 'pending']);
  expect(statuses({ ...announced, begunAt: one }, [])).toEqual(['done', 'running', 'pending']);
  const moving = { ...announced, begunAt: one, changedAt: two };
  expect(statuses(moving, [])).toEqual(['done', 'done', 'running']);
  expect(statuses({ ...moving, finishedAt: three }, [])).toEqual(['done', 'done', 'done']);
});

test('an urgent rotation has no notice, and a cancelled one stands still', () => {
  expect(statuses({ ...announced, isUrgent: true, begunAt: one }, [])).toEqual(['skipped', 'running', 'pending']);
  expect(statuses({ ...announced, cancelledAt: one }, [])).toEqual(['pending', 'pending', 'pending']);
});

test('moving waits for cosigners while its newest transaction does, and counts what is final', () => {
  const moving = { ...announced, begunAt: one, changedAt: one };
  const moved = { hash: 'aa', state: 'final', expiresAt: two, at: two } as const;
  const unsigned = { hash: 'bb', state: 'awaiting_signatures', expiresAt: three, at: three } as const;
  // Nobody can sign it any more.
  expect(statuses(moving, [moved, unsigned]).at(-1)).toBe('running');
  expect(viewRotationSteps(moving, [moved, unsigned], two).at(-1)).toEqual({
    name: 'move_outputs',
    status: 'waiting_for_cosigners',
    transactionHash: 'bb',
    finalTransactions: 1,
    at: three,
  });
});
