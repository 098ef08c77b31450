import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { EventMessage } from '../../src/events/publish.ts';

/** A reader of server-sent events; a response that is no stream is returned with its error code. */
export async function eventStream(url: string, headers: Readonly<Record<string, string>>) {
  const request = get(url, { headers: { accept: 'text/event-stream', ...headers }, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const { statusCode: status, headers: received } = response;
  const events: EventMessage[] = [];
  const closed: { readonly error: { readonly code: string } }[] = [];
  const isStream = received['content-type'] === 'text/event-stream';
  const refusal = isStream ? null : (JSON.parse(await text(response)) as { error: { code: string } });
  // It rejects when this side ends the stream.
  const ended = isStream ? once(response, 'close').catch(() => undefined) : Promise.resolve();
  let waiting = '';
  let lastId: string | undefined;
  const read = (chunk: string) => {
    const messages = (waiting + chunk).split('\n\n');
    waiting = messages.pop() ?? '';
    for (const message of messages) {
      const fields = new Map(message.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]));
      lastId = fields.get('id') ?? lastId;
      const data = fields.get('data');
      if (data === undefined) continue;
      if (fields.get('event') === 'closed') closed.push(JSON.parse(data) as (typeof closed)[number]);
      else events.push(JSON.parse(data) as EventMessage);
    }
  };
  if (isStream) response.setEncoding('utf8').on('data', read);
  return {
    status,
    headers: received,
    refusal,
    events,
    closed,
    ended,
    /** What a browser sends as Last-Event-ID when it comes back. */
    lastId: () => lastId,
    seqs: () => events.map(({ seq }) => seq),
    pause: () => response.pause(),
    resume: () => response.resume(),
    [Symbol.dispose]: () => {
      request.destroy();
    },
  };
}
