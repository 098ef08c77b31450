import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { expect, test } from '@jest/globals';
import { createLedgerActivities } from '../../activities/ledger-follower.ts';
import { secondsAfter } from '../../src/platform/units/time.ts';
import { followedTip } from '../../src/ledger-follower/queries/blocks.ts';
import { until } from '../stack/until.ts';
import { apiService } from '../vaults/api-service.ts';
import { CONFIRMATION_DEPTH, followerOf } from './follower-service.ts';

test('a follower begins at a final block, so that no usual rollback goes back before it', async () => {
  await using service = await apiService();
  const { height } = await service.ledger.mine(3 * CONFIRMATION_DEPTH);
  const follower = followerOf(service);
  expect(await follower.look()).toBe('blocks');
  expect((await followedTip(service.db))?.height).toBe(height - CONFIRMATION_DEPTH + 1);
});

test('a follower does not begin at a block whose time is not that of its slot, by which it could date no later one', async () => {
  await using service = await apiService();
  await service.ledger.mine(CONFIRMATION_DEPTH);
  const follower = followerOf(service);
  const { ledger } = follower.context;
  follower.context.ledger = {
    ...ledger,
    async block(id) {
      const block = await ledger.block(id);
      return block && { ...block, time: secondsAfter(block.time, 1) };
    },
  };
  await expect(follower.look()).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
  follower.context.ledger = ledger;
  await follower.catchUp();
  const { height } = await service.ledger.mine(1);
  await follower.catchUp();
  expect((await followedTip(service.db))?.height).toBe(height);
});

test('blocks are followed while what they made due still waits for the ledger', async () => {
  await using service = await apiService();
  const { context } = followerOf(service);
  await service.ledger.mine(CONFIRMATION_DEPTH);
  let waiting = 0;
  const stuck = Promise.withResolvers<never>();
  const readingTime = () => {
    waiting += 1;
    return stuck.promise;
  };
  const stopping = new AbortController();
  const errors: unknown[] = [];
  const activities = createLedgerActivities({
    ...context,
    follower: context,
    readingTime,
    blockMs: 80,
    stopping: stopping.signal,
    outboxRelay: { deliver: () => undefined },
    onTendingError: (error: unknown) => errors.push(error),
  } as unknown as Parameters<typeof createLedgerActivities>[0]);
  const activity: unknown = { cancellationSignal: new AbortController().signal };
  const running = asyncLocalStorage.run(activity as Context, () => activities.followLedger({ held: null }));

  await until(() => waiting > 0, { what: 'the follower to tend transactions' });
  const { height } = await service.ledger.mine(2);
  await until(async () => (await followedTip(service.db))?.height === height, { what: 'the next blocks' });
  expect(errors).toEqual([]);

  stopping.abort();
  stuck.reject(new Error('the ledger came back'));
  expect(await running).toEqual({ held: null });
  expect(errors).not.toEqual([]);
});
