/** Runs work when it is its turn, and settles as the work does. */
export type Turns = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Turns of which at most `atOnce` run at the same time; the others wait in the order in which they were asked for. */
export function createTurns(atOnce: number): Turns {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    // Who ends gives its turn to the next one, so that nobody comes in between.
    if (running >= atOnce) await new Promise<void>((resolve) => void waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
