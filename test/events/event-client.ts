import { io } from 'socket.io-client';
import type { EventMessage } from '../../src/events/publish.ts';
import { until } from '../stack/until.ts';

interface Reply {
  readonly status: 'success' | 'error';
  readonly data?: { readonly subscription: string; readonly after: number };
  readonly error?: {
    readonly code: string;
    readonly details?: { readonly errors?: readonly { readonly field: string }[] };
  };
}

interface Credentials {
  readonly apiKey?: string;
  readonly token?: string;
}

/** A client of socket.io as a frontend uses it. */
export function eventClient(
  url: string,
  auth: Credentials,
  transports: ('polling' | 'websocket')[] = ['websocket'],
  extraHeaders: Readonly<Record<string, string>> = {},
) {
  const socket = io(`${url}/events`, { auth, transports, extraHeaders, reconnection: false, forceNew: true });
  const received: { readonly subscription: string; readonly event: EventMessage }[] = [];
  const positions: { readonly subscription: string; readonly after: number }[] = [];
  const ended: { readonly name: 'unsubscribed' | 'closed'; readonly code: string }[] = [];
  socket.on('events', ({ subscription, events }: { subscription: string; events: EventMessage[] }) => {
    received.push(...events.map((event) => ({ subscription, event })));
  });
  socket.on('position', (position: (typeof positions)[number]) => positions.push(position));
  socket.on('unsubscribed', ({ reason }: { reason: { code: string } }) =>
    ended.push({ name: 'unsubscribed', code: reason.code }),
  );
  socket.on('closed', ({ error }: { error: { code: string } }) => ended.push({ name: 'closed', code: error.code }));
  return {
    socket,
    received,
    positions,
    ended,
    seqs: (subscription?: string) =>
      received
        .filter((one) => subscription === undefined || one.subscription === subscription)
        .map(({ event }) => event.seq),
    /** Resolves with the code of the refusal, or null when connected. */
    connected: () =>
      new Promise<string | null>((resolve) => {
        socket.on('connect', () => {
          resolve(null);
        });
        socket.on('connect_error', (error) => {
          const { data } = error as { data?: { error: { code: string } } };
          resolve(data?.error.code ?? error.message);
        });
      }),
    subscribe: (request: unknown) => socket.timeout(20_000).emitWithAck('subscribe', request) as Promise<Reply>,
    unsubscribe: (request: unknown) => socket.timeout(20_000).emitWithAck('unsubscribe', request) as Promise<Reply>,
    disconnected: () => until(() => socket.disconnected, { what: 'the socket is cut', deadlineMs: 60_000 }),
    [Symbol.dispose]: () => {
      socket.disconnect();
    },
  };
}
