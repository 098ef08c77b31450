/** The baseline for events: a server of socket.io that sends the same messages to rooms, and nothing else. Argument: JSON. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from 'socket.io';

export interface BroadcastInput {
  /** As the service sends it, without what is its own. */
  readonly event: object;
  readonly vaultIds: readonly string[];
  readonly eventsPerSecond: number;
  readonly seconds: number;
}

/** As often as the service numbers events. */
const INTERVAL_MS = 100;

const { event, vaultIds, eventsPerSecond, seconds } = JSON.parse(process.argv[2] ?? '') as BroadcastInput;
const server = createServer().listen(0, '127.0.0.1');
await once(server, 'listening');
const namespace = new Server(server, { serveClient: false, transports: ['websocket'] }).of('/events');
namespace.on('connection', (socket) => {
  socket.on('subscribe', ({ vaultId }: { vaultId: string }, acknowledge: (reply: object) => void) => {
    void socket.join(vaultId);
    acknowledge({ status: 'success' });
  });
});
process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
await once(process, 'message');

let seq = 0;
const began = performance.now();
const cpuBefore = process.cpuUsage();
const timer = setInterval(() => {
  const passed = Math.min(seconds, (performance.now() - began) / 1000);
  const batch = new Map<string, object[]>();
  while (seq < passed * eventsPerSecond) {
    seq += 1;
    const vaultId = vaultIds[seq % vaultIds.length] ?? '';
    const sentAt = performance.timeOrigin + performance.now();
    const sent = { ...event, seq, vaultId, data: { sentAt } };
    batch.set(vaultId, [...(batch.get(vaultId) ?? []), sent]);
  }
  for (const [vaultId, events] of batch)
    namespace.to(vaultId).emit('events', { subscription: `vault:${vaultId}`, events });
  if (passed < seconds) return;
  clearInterval(timer);
  const { user, system } = process.cpuUsage(cpuBefore);
  process.send?.((user + system) / 1e6);
}, INTERVAL_MS);
