/**
 * What was fetched from outside before a unit of work, to be taken inside of it: a failure is thrown only when the facts are
 * asked for, so a replayed answer and a refusal of our own never depend on the outside.
 */
export async function deferError<Facts>(fetching: Promise<Facts>): Promise<() => Facts> {
  const [result] = await Promise.allSettled([fetching]);
  return () => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  };
}
