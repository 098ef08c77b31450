import type { Server as HttpServer } from 'node:http';
import pLimit from 'p-limit';
import { type ExtendedError, Server, type Socket } from 'socket.io';
import type { Authenticator } from '../../access/authentication.ts';
import { openEventFeed } from '../event-tail.ts';
import { createConnections, countPendingConnections } from './connections.ts';
import type { Live } from './live-context.ts';
import {
  admit,
  type Admitting,
  connectError,
  refusePolling,
  type EventSocket,
  serveSocket,
  type SocketContext,
} from './serve-socket.ts';
import type { EventMessage } from '../publish.ts';
import { openDatabase } from '../../platform/database/database.ts';
import type { OnUnreadable } from '../../platform/database/decode-rows.ts';
import { ServiceError } from '../../platform/errors.ts';
import { networkOf } from '../../platform/http/client-address.ts';
import { limitReads, type LimitOf } from '../../platform/http/concurrency.ts';
import { errorBody } from '../../platform/http/error-schemas.ts';
import type { MicroCache } from '../../platform/http/micro-cache.ts';
import { originPattern } from '../../platform/http/request-context.ts';
import { serviceErrorOf } from '../../platform/http/error-handler.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import { wallClock } from '../../platform/units/time.ts';

/** Of its own, so that events arrive while requests use all of theirs: one reads new events, the others replay. */
const DATABASE_CONNECTIONS = 3;
const REPLAYS_AT_ONCE = DATABASE_CONNECTIONS - 1;
/** Thousands of subscriptions may be asked for, or checked again, at once; requests use the same connections. */
const CHECKS_AT_ONCE = 3;

interface LiveOptions {
  readonly databaseUrl: string;
  readonly authenticator: Authenticator;
  readonly logger: Logger;
  readonly onUnreadable: OnUnreadable;
  readonly microCache: MicroCache;
  /** Milliseconds from one regular look-up of all keys and sessions to the next, if other than usual. */
  readonly checkEveryMs?: number | undefined;
}

interface OpenedLive extends Live {
  /** Tells every client that this process stops. */
  readonly endConnections: () => void;
  close(): Promise<void>;
}

/** Opens the event feed of a process. Rejects when the database is unavailable. */
export async function openLive({ authenticator, checkEveryMs, ...options }: LiveOptions): Promise<OpenedLive> {
  const { databaseUrl, logger } = options;
  const warn = (message: string) => (error: unknown) => {
    logger.warn({ error }, message);
  };
  const db = openDatabase(
    databaseUrl,
    warn('a connection of the event feed was lost while idle'),
    DATABASE_CONNECTIONS,
  );
  const feed = await openEventFeed({ ...options, db, replaysAtOnce: REPLAYS_AT_ONCE });
  const connections = createConnections(
    { authenticator, clock: wallClock },
    warn('the callers of open connections cannot be checked'),
    checkEveryMs,
  );
  return {
    feed,
    connections,
    checks: checksOf(),
    replays: fairly(REPLAYS_AT_ONCE),
    endConnections() {
      connections.close(new ServiceError('SERVICE_STOPPING'));
    },
    async close() {
      await feed.close();
      await db.destroy();
    },
  };
}

function checksOf(): LimitOf {
  const [ofAll, ofClient] = [pLimit(CHECKS_AT_ONCE), fairly(CHECKS_AT_ONCE)];
  return (client) => (work) => ofClient(client)(() => ofAll(work));
}

/** One of a client at a time, and one less than there are of an IP address, whose wallets cost nothing: others never wait for all of them. */
function fairly(concurrency: number): LimitOf {
  return limitReads({ perClient: 1, perAddress: concurrency - 1, maxQueued: Infinity });
}

const MAX_OPEN = 10_000;
const MAX_MESSAGE_BYTES = 16_384;
/** A client that opens a connection and asks for no namespace is cut after this time, in milliseconds. */
const CONNECT_MS = 10_000;

const NAMESPACE = '/events';
/** Of all requests of socket.io. */
export const SOCKET_PATH = '/socket.io/';

interface SocketServerOptions extends SocketContext, Admitting {
  readonly corsOrigins: readonly string[];
}

interface EventSockets {
  /** Stops sending; the sockets end with their connections. */
  readonly close: () => void;
}

/** Serves the namespace /events of socket.io. Any process can serve any client, which resumes by the numbers of events. */
export function serveEventSockets(server: HttpServer, options: SocketServerOptions): EventSockets {
  const { application, addressOf, corsOrigins, ...context } = options;
  const { feed, ids, wallClock } = context;
  const bodyOf = (error: ServiceError) => errorBody(error, ids.next(), wallClock.now());
  const { io, pendingConnections } = openServer(server, { addressOf, corsOrigins });
  io.engine.use(refusePolling(bodyOf));
  const namespace = io.of(NAMESPACE);
  const sockets = new Map<string, EventSocket>();

  async function connect(socket: Socket): Promise<void> {
    const admitted = await admit({ application, addressOf }, ids, socket);
    // Outside of the namespace nothing bounds a connection, and nothing cuts it when its key ends.
    const { conn } = socket;
    socket.once('disconnect', () => {
      conn.close();
    });
    // A socket that is gone before it was let in is never told to be disconnected.
    conn.once('close', () => sockets.delete(socket.id));
    const served = await serveSocket(context, socket, admitted);
    pendingConnections.letIn(conn);
    if (conn.readyState === 'open') sockets.set(socket.id, served);
  }
  namespace.use(
    askedOnce(connect, (error) => {
      const body = error instanceof Error && 'data' in error ? error.data : bodyOf(serviceErrorOf(error));
      return connectError(body);
    }),
  );

  /** The message is serialized once for all sockets of the subscription. */
  function broadcast(subscription: string, events: readonly EventMessage[]): void {
    const members = namespace.adapter.rooms.get(subscription);
    if (!members) return;
    namespace.to(subscription).emit('events', { subscription, events });
    for (const id of members) sockets.get(id)?.noteSent(events.length);
  }

  const stopListening = feed.onBatch((batch) => {
    for (const [subscription, events] of batch) broadcast(subscription, events);
  });
  return {
    close() {
      stopListening();
      io.engine.close();
    },
  };
}

/** Cuts a connection that asks again before it is answered, or once it was let in: each time costs as much as a request. */
function askedOnce(connect: (socket: Socket) => Promise<void>, refusalOf: (error: unknown) => ExtendedError) {
  const asked = new WeakSet<Socket['conn']>();
  return (socket: Socket, next: (refusal?: ExtendedError) => void) => {
    const { conn } = socket;
    if (asked.has(conn)) {
      conn.close();
      return;
    }
    asked.add(conn);
    connect(socket).then(
      () => {
        next();
      },
      (error: unknown) => {
        asked.delete(conn);
        next(refusalOf(error));
      },
    );
  };
}

function openServer(
  server: HttpServer,
  { addressOf, corsOrigins }: Pick<SocketServerOptions, 'addressOf' | 'corsOrigins'>,
) {
  const io: Server = new Server(server, {
    path: SOCKET_PATH,
    serveClient: false,
    // Each request of polling would have to reach the process that took the first one.
    transports: ['websocket'],
    connectTimeout: CONNECT_MS,
    maxHttpBufferSize: MAX_MESSAGE_BYTES,
    cors: { origin: corsOrigins.map(originPattern) },
    allowRequest: (request, decide) => {
      decide(null, io.engine.clientsCount < MAX_OPEN && pendingConnections.mayCome(request));
    },
  });
  const pendingConnections = countPendingConnections(io.engine, (request) => networkOf(addressOf(request)));
  io.use((_socket, next) => {
    next(new Error(`Connect to the namespace ${NAMESPACE}.`));
  });
  return { io, pendingConnections };
}
