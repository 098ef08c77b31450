import { setImmediate as turnEnd } from 'node:timers/promises';

/**
 * Lets calls at about the same time share one statement: items requested while a batch runs wait for the next batch.
 * A batch begins after all its items were requested, so no caller gets an outdated result. An error of a batch rejects all its calls,
 * one of the result of an item its own calls only.
 */
export function coalesce<Item, Result>(
  runBatch: (items: readonly Item[]) => Promise<(item: Item) => Result>,
): (item: Item) => Promise<Result> {
  let waiting: Member<Item, Result>[] = [];
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    while (waiting.length > 0) {
      // Whoever asks in this turn of the event loop, too, need not wait for the next statement.
      await turnEnd();
      const members = waiting;
      waiting = [];
      try {
        const resultOf = await runBatch(members.map(({ item }) => item));
        for (const member of members) settle(member, resultOf);
      } catch (error) {
        for (const { reject } of members) reject(error);
      }
    }
    isRunning = false;
  }

  function settle({ item, resolve, reject }: Member<Item, Result>, resultOf: (item: Item) => Result): void {
    try {
      resolve(resultOf(item));
    } catch (error) {
      reject(error);
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isRunning) void run();
    });
}

interface Member<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}
