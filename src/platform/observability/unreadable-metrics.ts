import type { Registry } from 'prom-client';
import { readTables } from '../database/found-row.ts';
import { alarmCounter } from './alarm-counter.ts';

/** Returns a function that counts rows that could not be read and were left out. */
export function unreadableCounter(registry: Registry): (table: (typeof readTables)[number]) => void {
  const count = alarmCounter(registry, {
    name: 'unreadable_rows_total',
    help: 'Rows that could not be read and were left out of a job, a list or a batch, by table, each time: each is an alarm',
    series: readTables.map((table) => ({ table })),
  });
  return (table) => {
    count({ table });
  };
}
