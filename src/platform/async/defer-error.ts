/**
 * Waits for what a unit of work needs from outside and returns a function that gives the result inside the unit of work. That
 * function throws when the fetch failed. An error of our own and a stored idempotent response therefore take precedence over
 * an outside failure.
 */
export async function deferError<Result>(fetching: Promise<Result>): Promise<() => Result> {
  const [settled] = await Promise.allSettled([fetching]);
  return () => {
    if (settled.status === 'rejected') throw settled.reason;
    return settled.value;
  };
}
