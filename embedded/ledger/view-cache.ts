import type { ConfirmedTransaction } from './history.ts';
import { type TransactionView, viewTransaction } from './transaction-view.ts';

const KEPT = 500;

/** A cache of the views read last: clients usually ask about one block several times. */
export function createViewCache() {
  const views = new Map<string, TransactionView>();
  return {
    get({ hash, cbor }: ConfirmedTransaction): TransactionView {
      const view = views.get(hash) ?? viewTransaction(cbor);
      views.delete(hash);
      views.set(hash, view);
      const oldest = views.keys().next().value;
      if (views.size > KEPT && oldest !== undefined) views.delete(oldest);
      return view;
    },
    /** For a transaction that was rolled back: it may return under the same hash with other witnesses. */
    forget(hash: string): void {
      views.delete(hash);
    },
  };
}
