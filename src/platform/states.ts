import { ServiceError } from './errors.ts';

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

type Edges<S extends string> = Readonly<Record<S, readonly S[]>>;

/** Why a status changes: normal progress, or a rollback of the transaction that had caused the current status. */
export type Direction = 'forward' | 'rollback';

/** Returns `to` when the edge exists, else throws INVALID_TRANSITION. */
export type Transition<S extends string> = (from: S, to: S, direction?: Direction) => S;

/** Makes a function of a transition table; only rollbacks may use the compensation edges (design D6). */
export function transitions<S extends string>(
  subject: string,
  forward: Edges<S>,
  compensation: Partial<Edges<S>> = {},
): Transition<S> {
  return (from, to, direction = 'forward') => {
    const reachable = direction === 'forward' ? forward[from] : (compensation[from] ?? []);
    if (!reachable.includes(to)) throw new ServiceError('INVALID_TRANSITION', { subject, from, to, direction });
    return to;
  };
}
