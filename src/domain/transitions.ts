import { ServiceError } from './errors.ts';

type Edges<S extends string> = Readonly<Record<S, readonly S[]>>;

/** Why a status changes: the story goes on, or the ledger rolled back what had caused the present status. */
export type Direction = 'forward' | 'rollback';

/** Returns `to` when the edge exists, else throws INVALID_TRANSITION. */
export type Transition<S extends string> = (from: S, to: S, direction?: Direction) => S;

/** One state set's transition table as a function; compensation edges are open to rollbacks only (design D6). */
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
