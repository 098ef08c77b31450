import { Counter, type Registry } from 'prom-client';

/** Returns a function that counts rows that could not be read and were left out. */
export function unreadableCounter(registry: Registry): (table: string) => void {
  const unreadable = new Counter({
    name: 'unreadable_rows_total',
    help: 'Rows that could not be read and were left out of a job, a list or a batch, by table, each time: each is an alarm',
    labelNames: ['table'],
    registers: [registry],
  });
  return (table) => {
    unreadable.inc({ table });
  };
}
