/** Clients of server-sent events that note how late events come. Argument: JSON; says `ready`, and its result when it is told how many to expect. */
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import type { ClientsInput } from './event-clients.ts';
import { noteDeliveries } from './note-deliveries.ts';

const { url, apiKeys, vaultIds, clients } = JSON.parse(process.argv[2] ?? '') as ClientsInput;
const notes = noteDeliveries();
const agent = new Agent({ maxSockets: Infinity });

/** Connects a client, which follows its vault from now on. */
async function start(number: number): Promise<void> {
  const address = `${url}/api/v1/events?vaultId=${vaultIds[number % vaultIds.length] ?? ''}`;
  const headers = { 'x-api-key': apiKeys[number % apiKeys.length], accept: 'text/event-stream' };
  const [response] = (await once(get(address, { agent, headers }), 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`the stream was refused with ${response.statusCode ?? 0}`);
  const client = notes.client();
  let waiting = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const messages = (waiting + chunk).split('\n\n');
    waiting = messages.pop() ?? '';
    for (const message of messages) {
      const data = /^data: (.*)$/m.exec(message)?.[1];
      if (data !== undefined && !message.startsWith('event: closed')) client.note([JSON.parse(data)]);
    }
  });
  response.on('close', client.cut);
}

for (let number = 0; number < clients; number += 1) await start(number);
await notes.report();
