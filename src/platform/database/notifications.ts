import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { connectionOf } from './postgres-sessions.ts';

interface ListenOptions {
  readonly databaseUrl: string;
  readonly channel: string;
  readonly onMessage: (payload: string) => void;
  /** Called when listening begins, also after a lost connection: earlier messages may have been missed. */
  readonly onListening: () => void;
  readonly onLost: (error: unknown) => void;
}

export interface Listening {
  close(): Promise<void>;
}

const RECONNECT_MS = 1000;

/** Listens to a channel of Postgres on a connection of its own, which is opened again whenever it is lost. */
export function listen(options: ListenOptions): Listening {
  const closing = new AbortController();
  const isClosing = () => closing.signal.aborted;
  const ended = run();

  async function run(): Promise<void> {
    while (!isClosing()) {
      try {
        await listenOnce(options, closing.signal);
      } catch (error) {
        if (!isClosing()) options.onLost(error);
      }
      await pause(RECONNECT_MS, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  }

  return {
    async close() {
      closing.abort();
      await ended;
    },
  };
}

/** Rejects when the connection is lost, and when the signal is aborted. */
async function listenOnce(
  { databaseUrl, channel, onMessage, onListening }: ListenOptions,
  signal: AbortSignal,
): Promise<void> {
  const client = new pg.Client(connectionOf(databaseUrl).connection);
  const lost = once(client, 'end', { signal });
  lost.catch(() => undefined);
  try {
    await client.connect();
    client.on('notification', ({ payload }) => {
      if (payload !== undefined) onMessage(payload);
    });
    await client.query(`listen ${client.escapeIdentifier(channel)}`);
    onListening();
    await lost;
    throw new Error('the connection has ended');
  } finally {
    await client.end();
  }
}
