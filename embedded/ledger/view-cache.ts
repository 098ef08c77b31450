import type { ConfirmedTransaction } from './history.ts';
import { type TransactionView, viewTransaction } from './transaction-view.ts';

const KEPT = 500;

/** The views read last: one block is usually asked about several times, and the genesis again and again. */
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
    /** For a transaction taken back: it may return under the same hash with other witnesses. */
    forget(hash: string): void {
      views.delete(hash);
    },
  };
}
