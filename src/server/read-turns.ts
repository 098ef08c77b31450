import { ServiceError } from '../domain/errors.ts';
import { createTurns, type Turns } from '../domain/turns.ts';

/** Less than the connections to Postgres that an api has: the others stay free for whoever else asks. */
const AT_ONCE = 4;
/** What waits takes memory and a socket, nothing else. */
const MAX_WAITING = 1_000;

interface Limits {
  readonly atOnce?: number | undefined;
  readonly maxWaiting?: number;
}

/** The turns of a visitor. */
export type TurnsOf = (visitor: string) => Turns;

/**
 * Runs a few reads of each visitor at a time, in the order in which they were asked for, so that nobody alone keeps all connections busy. Turns throw
 * RATE_LIMIT_EXCEEDED when too many of the visitor wait.
 */
export function createReadTurns({ atOnce = AT_ONCE, maxWaiting = MAX_WAITING }: Limits = {}): TurnsOf {
  /** Of each visitor with a read under way: how many there are, and their turns. */
  const visitors = new Map<string, { asked: number; readonly turns: Turns }>();
  return (visitor) => async (work) => {
    const own = visitors.get(visitor) ?? { asked: 0, turns: createTurns(atOnce) };
    if (own.asked >= atOnce + maxWaiting)
      throw new ServiceError('RATE_LIMIT_EXCEEDED', { retryAfterSeconds: 1, waitingFor: 'earlier reads' });
    own.asked += 1;
    visitors.set(visitor, own);
    try {
      return await own.turns(work);
    } finally {
      own.asked -= 1;
      if (own.asked === 0) visitors.delete(visitor);
    }
  };
}
