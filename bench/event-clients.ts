/** Clients of socket.io that note how late events come. Argument: JSON; says `ready`, and its result when it is told how many to expect. */
import { io } from 'socket.io-client';
import { type Delivered, noteDeliveries } from './note-deliveries.ts';

export interface ClientsInput {
  readonly url: string;
  readonly apiKeys: readonly string[];
  /** Each client follows one of these vaults, in turn. */
  readonly vaultIds: readonly string[];
  readonly clients: number;
}

/** What all clients got together. */
export interface ClientsResult {
  readonly received: number;
  /** Events whose number was not above that of the event before. */
  readonly outOfOrder: number;
  /** Connections that were cut. */
  readonly cut: number;
  /** Milliseconds from `data.sentAt` until a client had the event: median, 99 % and the latest. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** Of the process of the clients, while events came. */
  readonly cpuSeconds: number;
}

const CONNECTED_AT_ONCE = 50;

const { url, apiKeys, vaultIds, clients } = JSON.parse(process.argv[2] ?? '') as ClientsInput;
const notes = noteDeliveries();

/** Connects a client and follows its vault from now on. */
async function start(number: number): Promise<void> {
  const auth = { apiKey: apiKeys[number % apiKeys.length] };
  const socket = io(`${url}/events`, { transports: ['websocket'], forceNew: true, reconnection: false, auth });
  const client = notes.client();
  socket.on('events', ({ events }: { readonly events: readonly Delivered[] }) => {
    client.note(events);
  });
  socket.on('disconnect', client.cut);
  const connected = Promise.withResolvers<null>();
  socket.on('connect', () => {
    connected.resolve(null);
  });
  socket.on('connect_error', connected.reject);
  await connected.promise;
  const vaultId = vaultIds[number % vaultIds.length];
  const reply = (await socket.emitWithAck('subscribe', { vaultId })) as { readonly status: string };
  if (reply.status !== 'success') throw new Error(JSON.stringify(reply));
}

for (let first = 0; first < clients; first += CONNECTED_AT_ONCE) {
  const count = Math.min(CONNECTED_AT_ONCE, clients - first);
  await Promise.all(Array.from({ length: count }, (_, index) => start(first + index)));
}
await notes.report();
