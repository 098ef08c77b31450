import { Counter, type Registry } from 'prom-client';

/** Returns a function that counts transactions that the worker refuses to sign (design D44). */
export function unjustifiedCounter(registry: Registry): (kind: string) => void {
  const refused = new Counter({
    name: 'unjustified_transactions_total',
    help: 'Transactions that the worker refused to sign because nothing justifies them, by kind: each is an alarm',
    labelNames: ['kind'],
    registers: [registry],
  });
  return (kind) => {
    refused.inc({ kind });
  };
}
