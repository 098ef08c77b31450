import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { Reader } from './readers.ts';

interface PacedGet {
  /** With path and query; the reads take turns between them. */
  readonly urls: readonly URL[];
  /** Who asks: they take turns. */
  readonly readers: readonly Reader[];
  readonly perSecond: number;
  readonly seconds: number;
}

/** Sends reads at a steady rate, however long the responses take; the milliseconds from when each was due until it was there. */
export async function pacedGet({ urls, readers, perSecond, seconds }: PacedGet): Promise<number[]> {
  const agent = new Agent({ keepAlive: true });
  const began = performance.now();
  const latencies = await Promise.all(
    Array.from({ length: perSecond * seconds }, async (_, number) => {
      const due = began + (number * 1000) / perSecond;
      await setTimeout(Math.max(0, due - performance.now()));
      const url = urls[number % urls.length];
      if (!url) throw new Error('nothing to read');
      const sent = get(url, { agent, headers: { ...readers[number % readers.length] } });
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      if (response.statusCode !== 200) throw new Error(`${url.pathname} answered ${response.statusCode}`);
      await once(response.resume(), 'end');
      return performance.now() - due;
    }),
  );
  agent.destroy();
  return latencies;
}
