import { ServiceError } from '../errors/errors.ts';
import { createTurns, type Turns } from '../async/turns.ts';
import type { Visitor } from './visitor.ts';

/** How many requests run at a time, fewer than there are connections for them: the others stay free for whoever else asks. */
export interface AtOnce {
  readonly ofVisitor: number;
  /** Of all visitors of an IP address: wallets cost nothing. */
  readonly ofAddress: number;
}

interface Limits extends AtOnce {
  /** Of a visitor. What waits takes memory and a socket, nothing else. */
  readonly maxWaiting: number;
  /** What a request that is refused would wait for. */
  readonly waitingFor: string;
}

/** Of ten connections. */
const SOME_AT_ONCE: AtOnce = { ofVisitor: 4, ofAddress: 6 };
const readLimits = { maxWaiting: 1_000, waitingFor: 'earlier reads' };
/** Of two connections. */
const bookLimits: Limits = { ofVisitor: 1, ofAddress: 1, maxWaiting: 5, waitingFor: 'earlier reads of books' };

/** The turns of a visitor. */
export type TurnsOf = (visitor: Visitor) => Turns;

/**
 * Runs a few reads of each visitor and of each IP address at a time, in the order in which they were asked for, so that nobody alone keeps
 * all connections busy. Turns throw RATE_LIMIT_EXCEEDED when too many of the visitor wait.
 */
export function createReadTurns(limits: Partial<Limits> = {}): TurnsOf {
  const { ofVisitor, ofAddress, maxWaiting, waitingFor } = { ...SOME_AT_ONCE, ...readLimits, ...limits };
  const visitors = createTurnsByName(ofVisitor, { maxWaiting, waitingFor });
  const addresses = createTurnsByName(ofAddress, { maxWaiting: Infinity, waitingFor });
  return ({ name, ip }) =>
    (work) =>
      visitors(name)(() => addresses(ip)(work));
}

/** As `createReadTurns`, for changes. They wait for the ledger, too, so that both together seldom take all connections. */
export function createChangeTurns(limits: Partial<Limits> = {}): TurnsOf {
  return createReadTurns({ waitingFor: 'earlier changes', ...limits });
}

/** As `createReadTurns`, for reads of everything that a vault ever had. */
export function createBookTurns(): TurnsOf {
  return createReadTurns(bookLimits);
}

function createTurnsByName(atOnce: number, { maxWaiting, waitingFor }: Pick<Limits, 'maxWaiting' | 'waitingFor'>) {
  /** Of each name with a read under way: how many there are, and their turns. */
  const known = new Map<string, { asked: number; readonly turns: Turns }>();
  return (name: string): Turns =>
    async (work) => {
      const own = known.get(name) ?? { asked: 0, turns: createTurns(atOnce) };
      if (own.asked >= atOnce + maxWaiting)
        throw new ServiceError('RATE_LIMIT_EXCEEDED', { retryAfterSeconds: 1, waitingFor });
      own.asked += 1;
      known.set(name, own);
      try {
        return await own.turns(work);
      } finally {
        own.asked -= 1;
        if (own.asked === 0) known.delete(name);
      }
    };
}
