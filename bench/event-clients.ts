/** Clients of socket.io that note how late events come. Argument: JSON; says `ready`, and its result when it is told how many to expect. */
import { once } from 'node:events';
import { createHistogram } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { io } from 'socket.io-client';

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

interface Batch {
  readonly events: readonly { readonly seq: number; readonly data: { readonly sentAt?: number } }[];
}

const CONNECTED_AT_ONCE = 50;
/** Events that have not come after so long a silence are lost. */
const LONGEST_SILENCE_MS = 3_000;

const { url, apiKeys, vaultIds, clients } = JSON.parse(process.argv[2] ?? '') as ClientsInput;
const microseconds = createHistogram();
let [received, outOfOrder, cut] = [0, 0, 0];

/** Connects a client and follows its vault from now on. */
async function start(number: number): Promise<void> {
  const auth = { apiKey: apiKeys[number % apiKeys.length] };
  const socket = io(`${url}/events`, { transports: ['websocket'], forceNew: true, reconnection: false, auth });
  let last = 0;
  socket.on('events', ({ events }: Batch) => {
    const now = performance.timeOrigin + performance.now();
    for (const { seq, data } of events) {
      if (seq <= last) outOfOrder += 1;
      last = seq;
      if (data.sentAt === undefined) continue;
      received += 1;
      microseconds.record(Math.max(1, Math.round((now - data.sentAt) * 1000)));
    }
  });
  socket.on('disconnect', () => {
    cut += 1;
  });
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
process.send?.('ready');
const cpuBefore = process.cpuUsage();
const [expected] = (await once(process, 'message')) as [number];
for (let before = -1; received < expected && received > before;) {
  before = received;
  await pause(LONGEST_SILENCE_MS);
}
const [p50, p99, max] = [50, 99, 100].map((share) => microseconds.percentile(share) / 1000) as [number, number, number];
const { user, system } = process.cpuUsage(cpuBefore);
const cpuSeconds = (user + system) / 1e6;
process.send?.({ received, outOfOrder, cut, p50, p99, max, cpuSeconds } satisfies ClientsResult, () => process.exit());
