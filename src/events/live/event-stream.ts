import { ServiceError } from '../../platform/errors/errors.ts';
import type { Topic } from '../rules/topic.ts';
import { ipOf } from '../../platform/http/client-address.ts';
import { errorBody } from '../../platform/http/error-schemas.ts';
import type { LocalResponse } from '../../platform/http/request-locals.ts';
import { createEventWriter } from './event-writer.ts';
import type { LiveContext } from './live-context.ts';
import { createSubscriptions, followedBy } from './subscriptions.ts';

/** Proxies close connections that are silent for longer, in milliseconds. */
const KEEP_ALIVE_MS = 15_000;

const headers = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'private, no-store, no-transform',
  'X-Accel-Buffering': 'no',
};

/**
 * Writes the events of a topic as server-sent events until one side ends the response: those after `after`, or from now on. Throws
 * what a read of the topic throws, TOO_MANY_CONNECTIONS, and INVALID_REQUEST at `after`.
 */
export async function streamEvents(
  context: LiveContext,
  response: LocalResponse,
  { topic, after }: { readonly topic: Topic; readonly after: number | undefined },
): Promise<void> {
  const { wallClock, feed, connections } = context;
  const { req: request, locals } = response;
  const { signal: gone, whenGone } = goneOf(response);
  const writer = createEventWriter(response, gone);
  let isLive = false;

  const end = (reason: ServiceError) => {
    isLive = false;
    writer.end(errorBody(reason, locals.correlationId, wallClock.now()));
  };
  const opened = await connections.open({
    credentials: { apiKey: request.get('X-API-Key'), authorization: request.get('Authorization') },
    ip: ipOf(request),
    end,
    onCallerChange: () => {
      subscriptions.recheck();
    },
  });
  whenGone(opened.remove);
  const setLive = (live: boolean) => () => {
    isLive = live;
  };
  const subscriptions = createSubscriptions(followedBy(opened.visitor, context), opened.caller, {
    send: (_name, events) => writer.send(events),
    join: setLive(true),
    leave: setLive(false),
    refuse: (_name, reason) => {
      end(reason);
    },
  });
  whenGone(subscriptions.close);
  const { subscription, after: start } = await subscriptions.subscribe(topic, after);
  const stopListening = feed.onBatch((batch) => {
    const events = isLive ? batch.get(subscription) : undefined;
    if (events && !writer.sendLive(events)) end(new ServiceError('CONSUMER_TOO_SLOW'));
  });
  whenGone(stopListening);
  const keepAlive = setInterval(() => {
    if (isLive) writer.sendPosition(feed.position());
  }, KEEP_ALIVE_MS);
  whenGone(() => {
    clearInterval(keepAlive);
  });
  response.writeHead(200, headers);
  // A reader that loses the connection before its first event knows where to go on.
  response.write(`retry: 1000\nid: ${start}\n\n`);
}

/** Tells when a response is over, also when it was over before. */
function goneOf(response: LocalResponse) {
  const gone = new AbortController();
  const whenGone = (act: () => void) => {
    if (response.closed) act();
    else response.on('close', act);
  };
  whenGone(() => {
    gone.abort();
  });
  return { signal: gone.signal, whenGone };
}
