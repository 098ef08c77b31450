/** Work in steps of little work each, so that whoever does it can pause in between; returns its result. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Steps between two pauses: some milliseconds. */
const SLICE = 100;

/** The result of all steps, with a pause after each hundred, in which other work of the process can run. */
export async function runInSlices<Result>(steps: Steps<Result>, pause: () => Promise<unknown>): Promise<Result> {
  for (let done = 1; ; done += 1) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (done % SLICE === 0) await pause();
  }
}
