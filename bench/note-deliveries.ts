import { once } from 'node:events';
import { createHistogram } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { ClientsResult } from './event-clients.ts';

/** An event as a client gets it. */
export interface Delivered {
  readonly seq: number;
  readonly data: { readonly sentAt?: number };
}

/** Events that have not come after so long a silence are lost. */
const LONGEST_SILENCE_MS = 3_000;

/** What the clients of this process get together. */
export function noteDeliveries() {
  const microseconds = createHistogram();
  let [received, outOfOrder, cut] = [0, 0, 0];
  return {
    client() {
      let last = 0;
      return {
        note: (events: readonly Delivered[]): void => {
          const now = performance.timeOrigin + performance.now();
          for (const { seq, data } of events) {
            if (seq <= last) outOfOrder += 1;
            last = seq;
            if (data.sentAt === undefined) continue;
            received += 1;
            microseconds.record(Math.max(1, Math.round((now - data.sentAt) * 1000)));
          }
        },
        cut: (): void => {
          cut += 1;
        },
      };
    },
    /** Says that all have begun, waits for as many events as it is told, tells the process that started this one the result, and ends. */
    report: async (): Promise<void> => {
      process.send?.('ready');
      const cpuBefore = process.cpuUsage();
      const [expected] = (await once(process, 'message')) as [number];
      for (let before = -1; received < expected && received > before;) {
        before = received;
        await pause(LONGEST_SILENCE_MS);
      }
      const [p50, p99, max] = [50, 99, 100].map((share) => microseconds.percentile(share) / 1000) as [
        number,
        number,
        number,
      ];
      const { user, system } = process.cpuUsage(cpuBefore);
      const result: ClientsResult = { received, outOfOrder, cut, p50, p99, max, cpuSeconds: (user + system) / 1e6 };
      process.send?.(result, () => process.exit());
    },
  };
}
