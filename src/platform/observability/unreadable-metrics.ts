import type { Registry } from 'prom-client';
import { decodedTables } from '../database/decode-rows.ts';
import { alarmCounter } from './alarm-counter.ts';

/** Returns a function that counts rows that could not be read and were left out. */
export function unreadableCounter(registry: Registry): (table: (typeof decodedTables)[number]) => void {
  const count = alarmCounter(registry, {
    name: 'unreadable_rows_total',
    help: 'Rows that could not be read and were left out of a job or a batch, by table, each time: each is an alarm',
    series: decodedTables.map((table) => ({ table })),
  });
  return (table) => {
    count({ table });
  };
}
