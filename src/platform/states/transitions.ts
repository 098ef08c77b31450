import { ServiceError } from '../errors/errors.ts';

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
