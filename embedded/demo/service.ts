import {
  type Client,
  type Connection,
  type EventOfType,
  type ServiceEvent,
  type Topic,
  createClient,
  followEvents,
} from '../../client/src/index.ts';

const PATIENCE_MS = 60_000;

/** The service as a frontend uses it, and its development endpoints. */
export interface Service {
  readonly api: Client;
  /** Sends a request to a path below `/dev`, which the published document does not have. Throws unless it succeeds. */
  readonly develop: <Body>(path: string, body: object) => Promise<Body>;
  /** The first event of a topic that fits, whether it has happened already or not. Throws when none comes within a minute. */
  readonly event: <Type extends ServiceEvent['type']>(
    topic: Topic,
    type: Type,
    fits: (event: EventOfType<Type>) => boolean,
  ) => Promise<EventOfType<Type>>;
}

/** Connects to the service with an API key. */
export function connectService(connection: Connection): Service {
  return {
    api: createClient(connection),
    async develop<Body>(path: string, body: object) {
      const response = await fetch(`${connection.baseUrl}/dev/${path}`, {
        method: 'POST',
        headers: { 'x-api-key': connection.apiKey, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`POST /dev/${path} answered ${response.status}: ${text}`);
      return JSON.parse(text) as Body;
    },
    async event(topic, type, fits) {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      for await (const event of followEvents(connection, topic, { after: 0, signal }))
        if (hasType(event, type) && fits(event)) return event;
      throw new Error(`${type} did not come within ${PATIENCE_MS / 1000} s`);
    },
  };
}

function hasType<Type extends ServiceEvent['type']>(event: ServiceEvent, type: Type): event is EventOfType<Type> {
  return event.type === type;
}

/** Why a request reaches no stack, in the words of the system and of Node's fetch. */
const causes: readonly unknown[] = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

/** Whether a request failed because no stack is there any more, as its cause says. */
export function isUnreachable(error: unknown): boolean {
  const { cause } = Object(error) as { readonly cause?: { readonly code?: unknown } | null };
  return causes.includes(cause?.code);
}
