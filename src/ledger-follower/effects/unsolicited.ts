import type { Consequences } from './consequences.ts';
import { clearReturning, setReturned } from '../queries/unsolicited.ts';

/** An unsolicited output is returned while the transaction that returns it is on the ledger. */
export const returnUnsolicitedConsequences: Consequences = {
  confirmed: ({ tx, now }, { id }) => setReturned(tx, id, now),
  rolledBack: ({ tx }, { id }) => setReturned(tx, id, null),
  ended: ({ tx }, { id }) => clearReturning(tx, id),
};
