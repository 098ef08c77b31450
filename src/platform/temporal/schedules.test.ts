import { type Client, ScheduleAlreadyRunning, ScheduleNotFoundError } from '@temporalio/client';
import { afterEach, expect, jest, test } from '@jest/globals';
import { keepSchedules, type SeenSchedule } from './schedules.ts';

afterEach(() => {
  jest.useRealTimers();
});

type KeepingClient = Pick<Client, 'schedule' | 'workflow' | 'withDeadline'>;

interface Stored {
  readonly spec: { readonly intervals: readonly { readonly every: string }[] };
  readonly state: { readonly paused: boolean; readonly note?: string };
}

/** The Schedules of a Temporal server. */
function fakeTemporal() {
  const stored = new Map<string, Stored>();
  const schedule = {
    create({ scheduleId, spec }: { readonly scheduleId: string } & Pick<Stored, 'spec'>) {
      if (stored.has(scheduleId)) return Promise.reject(new ScheduleAlreadyRunning('it exists', scheduleId));
      stored.set(scheduleId, { spec, state: { paused: false } });
      return Promise.resolve();
    },
    getHandle: (scheduleId: string) => ({
      describe() {
        const found = stored.get(scheduleId);
        if (!found) return Promise.reject(new ScheduleNotFoundError('it does not exist', scheduleId));
        const info = { recentActions: [{ takenAt: new Date(5_000) }], createdAt: new Date(1_000) };
        return Promise.resolve({ scheduleId, ...found, info });
      },
      update(change: (before: Stored) => Stored) {
        stored.set(scheduleId, change(stored.get(scheduleId)!));
        return Promise.resolve();
      },
    }),
  };
  const succeeded = new Map<string, Date>();
  const workflow = {
    async *list({ query }: { readonly query: string }) {
      for (const [workflowType, closeTime] of succeeded)
        if (query.startsWith(`WorkflowType = '${workflowType}' and ExecutionStatus = 'Completed'`))
          yield await Promise.resolve({ closeTime });
    },
  };
  const withDeadline = (_: number, ask: () => Promise<unknown>) => ask();
  return { stored, succeeded, client: { schedule, workflow, withDeadline } as unknown as KeepingClient };
}

test('a worker brings Schedules to its release, leaves paused ones paused, and creates those again that were lost', async () => {
  jest.useFakeTimers();
  const { stored, succeeded, client } = fakeTemporal();
  succeeded.set('sweep', new Date(4_000));
  const [seen, lost]: [SeenSchedule[], string[]] = [[], []];
  stored.set('sweep', { spec: { intervals: [{ every: '1 day' }] }, state: { paused: true, note: 'by hand' } });
  const kept = await keepSchedules({
    client,
    taskQueue: 'vaults',
    onSeen: (schedule) => seen.push(schedule),
    onLost: (scheduleId) => lost.push(scheduleId),
    onError: (error) => {
      throw error;
    },
  });
  expect(stored.get('sweep')).toMatchObject({
    spec: { intervals: [{ every: '10 seconds' }] },
    state: { paused: true, note: 'by hand' },
  });
  expect(stored.size).toBe(5);
  await jest.advanceTimersByTimeAsync(1_000);
  const startedAt = new Date(5_000);
  expect(seen).toContainEqual({ scheduleId: 'sweep', startedAt, succeededAt: new Date(4_000), isPaused: true });
  expect(seen).toContainEqual({
    scheduleId: 'reconciliation',
    startedAt,
    succeededAt: new Date(1_000),
    isPaused: false,
  });

  stored.clear();
  await jest.advanceTimersByTimeAsync(60_000);
  expect([stored.size, lost.length]).toEqual([5, 5]);
  kept[Symbol.dispose]();
  stored.clear();
  await jest.advanceTimersByTimeAsync(600_000);
  expect(stored.size).toBe(0);
});

test('a question about a Schedule that is never answered has a deadline, and the next check comes', async () => {
  jest.useFakeTimers();
  const { client } = fakeTemporal();
  const errors: unknown[] = [];
  let asked = 0;
  const kept = await keepSchedules({
    client: {
      ...client,
      withDeadline: (deadline) => {
        asked += 1;
        const left = Number(deadline) - Date.now();
        const { promise, reject } = Promise.withResolvers<never>();
        setTimeout(reject, left, new Error('the deadline has passed'));
        return promise;
      },
    },
    taskQueue: 'vaults',
    onSeen: () => undefined,
    onLost: () => undefined,
    onError: (error) => errors.push(error),
  });
  await jest.advanceTimersByTimeAsync(180_000);
  expect(asked).toBeGreaterThan(5);
  expect(errors.length).toBeGreaterThan(5);
  kept[Symbol.dispose]();
});

test('a Schedule whose creation is never answered keeps no later check from coming', async () => {
  jest.useFakeTimers();
  const { stored, client } = fakeTemporal();
  let created = 0;
  const kept = await keepSchedules({
    client: {
      ...client,
      withDeadline: (deadline, ask) => {
        const { promise, reject } = Promise.withResolvers<never>();
        setTimeout(reject, Number(deadline) - Date.now(), new Error('the deadline has passed'));
        return Promise.race([ask(), promise]);
      },
    },
    taskQueue: 'vaults',
    onSeen: () => undefined,
    onLost: () => undefined,
    onError: () => undefined,
  });
  stored.clear();
  client.schedule.create = () => {
    created += 1;
    return Promise.withResolvers<never>().promise;
  };
  await jest.advanceTimersByTimeAsync(180_000);
  expect(created).toBeGreaterThan(5);
  kept[Symbol.dispose]();
});
