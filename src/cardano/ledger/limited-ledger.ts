import type { Ledger } from './ledger.ts';

/** A ledger whose reads throw what `requireTime` does once the time is up, so that what takes a great many of them ends by itself. */
export function limitedLedger(ledger: Ledger, requireTime: () => void): Ledger {
  const inTime = async <Result>(read: () => Promise<Result>): Promise<Result> => {
    requireTime();
    return read();
  };
  return {
    ...ledger,
    utxos: (address) => inTime(() => ledger.utxos(address)),
    transaction: (hash) => inTime(() => ledger.transaction(hash)),
    transactionUtxos: (hash) => inTime(() => ledger.transactionUtxos(hash)),
    block: (id) => inTime(() => ledger.block(id)),
    async *addressTransactions(address, upTo) {
      for await (const found of ledger.addressTransactions(address, upTo)) {
        requireTime();
        yield found;
      }
    },
  };
}
