import { singleFlight } from '../../../platform/async.ts';

/** Checks something that this process needs to serve requests; rejects when it does not work. */
export type ReadinessCheck = () => Promise<void>;

/** Result of every check by name: null, or why it failed. */
export type ReadinessResults = Readonly<Record<string, { readonly reason: unknown } | null>>;

/** Runs the checks, or returns results that are at most a second old. Never rejects. */
export type Readiness = () => Promise<ReadinessResults>;

/** A check that takes longer counts as failed. */
const CHECK_MS = 2_000;
/** However many probes ask, the checks run once in this time. */
const CACHED_MS = 1_000;

/** `clock` counts milliseconds. */
export function createReadiness(
  checks: Readonly<Record<string, ReadinessCheck>>,
  clock: { now(): number } = performance,
): Readiness {
  let known: { readonly results: ReadinessResults; readonly until: number } | null = null;

  const run = singleFlight(async () => {
    const outcomes = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await failure(check)]),
    );
    const results = Object.fromEntries(outcomes) as ReadinessResults;
    known = { results, until: clock.now() + CACHED_MS };
    return results;
  });

  return () => (known && clock.now() < known.until ? Promise.resolve(known.results) : run());
}

async function failure(check: ReadinessCheck): Promise<{ readonly reason: unknown } | null> {
  try {
    await inTime(check());
    return null;
  } catch (reason) {
    return { reason };
  }
}

/** The result of what a probe asks for; rejects when it takes too long. */
export async function inTime<Result>(reading: Promise<Result>): Promise<Result> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const deadline = setTimeout(() => {
    reject(new Error(`no response within ${CHECK_MS} ms`));
  }, CHECK_MS);
  try {
    return await Promise.race([reading, tooLate]);
  } finally {
    clearTimeout(deadline);
  }
}
