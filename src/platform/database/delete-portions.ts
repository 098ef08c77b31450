/** A portion of fewer rows was the last: the next sweep takes what has become old since. */
const FEW = 500;

/** Deletes portion after portion, each a statement of its own, until one is small or the time is up; at least one. */
export async function deletePortions(deletePortion: () => Promise<number>, isTimeUp: () => boolean): Promise<void> {
  let deleted = await deletePortion();
  while (deleted >= FEW && !isTimeUp()) deleted = await deletePortion();
}
