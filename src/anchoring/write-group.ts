import { RequestInProgress } from '../store/idempotency.ts';
import type { WriteLocks } from '../store/write-locks.ts';
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
}

/**
 * Creates a group and returns the function that adds an item to it. `enqueue` is called once for every item that arrives, with the
 * milliseconds that it can wait.
 */
export function createWriteGroup<Item, Result>(
  enqueue: (group: WriteGroup, maxWaitMs?: number) => void,
  write: WriteItems<Item, Result>,
  { locksOf = () => undefined, maxWaitMsOf }: GroupRules<Item>,
): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = [];
  const group: WriteGroup = {
    take(count) {
      const taken = waiting.slice(0, count);
      waiting = waiting.slice(count);
      return writerOf(taken, { write, locksOf, add });
    },
  };

  function add(entry: Waiting<Item, Result>): void {
    waiting.push(entry);
    enqueue(group, maxWaitMsOf?.(entry.item));
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
}

function writerOf<Item, Result>(
  entries: readonly Waiting<Item, Result>[],
  { write, locksOf, add }: GroupFunctions<Item, Result>,
): Writer {
  function complete(entry: Waiting<Item, Result>, result: Result | Error): void {
    if (result instanceof RequestInProgress) add(entry);
    else if (result instanceof Error) entry.refuse(result);
    else entry.resolve(result);
  }

  return {
    locks: () => entries.flatMap(({ item }) => locksOf(item) ?? []),
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
