import { ServiceError } from '../platform/errors/errors.ts';
import { RequestInProgress } from '../platform/http/queries/idempotency.ts';
import type { WriteLocks } from './write-locks.ts';
import type { GroupRules, WriteItems } from './anchors.ts';
import type { Writer } from './writer.ts';

/** Items that are written together. */
export interface WriteGroup {
  /** Removes the next `count` items and returns the writer of them. */
  take(count: number): Writer;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly refuse: (error: unknown) => void;
  /** Until when it is postponed while somebody holds its locks; absent before the first time. */
  readonly giveUpAt?: number;
}

/** How long a write waits for its locks, in milliseconds. Whoever holds one that long is frozen, and cut off by Postgres after 30 s. */
const PATIENCE_MS = 20_000;

/** What a group needs of what runs its batches. */
export interface BatchRunner {
  /** Called once for every item that arrives, with the milliseconds that it can wait, and 'now' for one that has waited for its batch before. */
  readonly enqueue: (group: WriteGroup, maxWaitMs?: number | 'now') => void;
  /** Does something a moment later; returns false when there will be no later batch. */
  readonly doLater: (act: () => void) => boolean;
}

/** Creates a group and returns the function that adds an item to it. */
export function createWriteGroup<Item, Result>(
  { enqueue, doLater }: BatchRunner,
  write: WriteItems<Item, Result>,
  { locksOf = () => undefined, maxWaitMsOf }: GroupRules<Item>,
): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = [];
  const group: WriteGroup = {
    take(count) {
      const taken = waiting.slice(0, count);
      waiting = waiting.slice(count);
      return writerOf(taken, { write, locksOf, add, postpone });
    },
  };

  function add(entry: Waiting<Item, Result>, maxWaitMs: number | 'now' | undefined = maxWaitMsOf?.(entry.item)): void {
    waiting.push(entry);
    enqueue(group, maxWaitMs);
  }

  function postpone(entry: Waiting<Item, Result>): void {
    const { giveUpAt = performance.now() + PATIENCE_MS } = entry;
    const again = () => {
      add({ ...entry, giveUpAt }, 'now');
    };
    if (performance.now() < giveUpAt && doLater(again)) return;
    entry.refuse(new ServiceError('SERVICE_NOT_READY', { waitingFor: 'another write' }));
  }

  return (item) =>
    new Promise((resolve, refuse) => {
      add({ item, resolve, refuse });
    });
}

interface GroupFunctions<Item, Result> {
  readonly write: WriteItems<Item, Result>;
  readonly locksOf: (item: Item) => WriteLocks | undefined;
  /** Adds an item to the group again. */
  readonly add: (entry: Waiting<Item, Result>) => void;
  /** As `add`, a moment later; refuses it when it has waited too long. */
  readonly postpone: (entry: Waiting<Item, Result>) => void;
}

function writerOf<Item, Result>(
  taken: readonly Waiting<Item, Result>[],
  { write, locksOf, add, postpone }: GroupFunctions<Item, Result>,
): Writer {
  let entries = taken;

  function complete(entry: Waiting<Item, Result>, result: Result | Error): void {
    if (result instanceof RequestInProgress) add(entry);
    else if (result instanceof Error) entry.refuse(result);
    else entry.resolve(result);
  }

  return {
    locks: () => entries.flatMap(({ item }) => locksOf(item) ?? []),
    postponeBusy(isBusy) {
      const needsBusy = ({ item }: Waiting<Item, Result>) => {
        const locks = locksOf(item);
        return locks !== undefined && isBusy(locks);
      };
      const waiting = entries.filter(needsBusy);
      entries = entries.filter((entry) => !needsBusy(entry));
      for (const entry of waiting) postpone(entry);
      return entries.length > 0;
    },
    async run(context) {
      const results = await write(
        context,
        entries.map(({ item }) => item),
      );
      if (results.length !== entries.length) throw new RangeError('a result for every item is expected');
      return () => {
        for (const [position, result] of results.entries()) {
          const entry = entries[position];
          if (entry) complete(entry, result);
        }
      };
    },
    refuse(error) {
      for (const entry of entries) entry.refuse(error);
    },
    postpone() {
      for (const entry of entries) add(entry);
    },
  };
}
