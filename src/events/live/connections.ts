import type { IncomingMessage } from 'node:http';
import type { Server, Socket } from 'socket.io';
import type { Authenticator, Credentials } from '../../access/authentication.ts';
import type { Freshness } from '../../access/credential-cache.ts';
import type { CredentialChange } from '../../access/queries/api-keys.ts';
import type { Caller } from '../../access/rules.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Client } from '../../platform/http/client-address.ts';
import type { Clock } from '../../platform/units/time.ts';

/** Of one process. */
const MAX_CONNECTIONS = 10_000;
/** Of a key and wallet, or of a key and IP address without a session. */
const MAX_OF_VISITOR = 100;
/** Of all clients of an IP address: wallets cost nothing, and the others need room. */
const MAX_OF_ADDRESS = 5_000;
/** How often all keys and sessions are looked up, in milliseconds: changes are heard at once, unless no message comes through. */
const CHECK_EVERY_MS = 5_000;

/** An open socket or event stream. */
interface Connection {
  readonly credentials: Credentials;
  readonly ip: string;
  /** Ends it with the reason. */
  readonly end: (reason: ServiceError) => void;
  /** Called when the caller may do more, or less, than before. */
  readonly onCallerChange: () => void;
}

/** The connections that are open in this process. */
export interface Connections {
  readonly open: (connection: Connection) => Promise<OpenConnection>;
  /** Ends all of them with the reason. */
  readonly close: (reason: ServiceError) => void;
}

interface OpenConnection {
  /** Who the caller is now, and what it may do. */
  readonly caller: () => Caller;
  readonly client: Client;
  readonly remove: () => void;
}

interface ConnectionsContext {
  readonly authenticator: Authenticator;
  /** Wall time. */
  readonly clock: Clock;
}

/** Who the caller of a connection is, as far as is known. */
interface Known {
  readonly caller: Caller;
  /** When the key or the session ends, unless the session is used before. */
  readonly validUntil: number;
}

/** `onError` is told once for all connections of a check. */
export function createConnections(
  context: ConnectionsContext,
  onError: (error: unknown) => void,
  checkEveryMs = CHECK_EVERY_MS,
): Connections {
  const { authenticator } = context;
  const connections = new Map<Connection, Known>();
  const clients = createClients();
  const { know, recheck, endings } = createChecks(context, connections, onError);

  authenticator.onForget((change) => {
    const affected = [...connections].filter(([, { caller }]) => concerns(change, caller));
    void recheck(affected.map(([connection]) => connection));
  });
  const timer = setInterval(() => void recheck([...connections.keys()]), checkEveryMs).unref();

  return {
    async open(connection) {
      const found = await knownOf(authenticator, connection.credentials, 'cached');
      if (found instanceof ServiceError) throw found;
      const { caller } = found;
      const { ip } = connection;
      const client = { name: `${caller.apiKeyId} ${caller.wallet ?? ip}`, ip };
      const leave = clients.enter(client);
      know(connection, found);
      return {
        caller: () => connections.get(connection)?.caller ?? caller,
        client,
        remove: () => {
          if (!connections.delete(connection)) return;
          endings.forget(connection);
          leave();
        },
      };
    },
    close(reason) {
      clearInterval(timer);
      for (const connection of connections.keys()) connection.end(reason);
    },
  };
}

/** Keeps what is known of open connections, and ends those whose callers may no longer call. */
function createChecks(
  { authenticator, clock }: ConnectionsContext,
  connections: Map<Connection, Known>,
  onError: (error: unknown) => void,
) {
  const endings = createEndings(clock, recheck);

  function know(connection: Connection, known: Known): void {
    connections.set(connection, known);
    endings.expect(connection, known.validUntil);
  }

  function conclude(connection: Connection, before: Known, found: Known | ServiceError): void {
    if (!connections.has(connection)) return;
    if (found instanceof ServiceError) {
      connection.end(found);
      return;
    }
    know(connection, found);
    if (JSON.stringify(found.caller) !== JSON.stringify(before.caller)) connection.onCallerChange();
  }

  /** Looks the callers of these connections up: by one statement for all keys, and one for all sessions. */
  async function recheck(affected: readonly Connection[]): Promise<void> {
    const lookUp = lookUps(authenticator);
    const checked = affected.map(async (connection) => {
      const before = connections.get(connection);
      if (!before) return;
      try {
        conclude(connection, before, await lookUp(connection.credentials));
      } catch (error) {
        // Nobody can say whether the session was used since: whoever comes back is checked again.
        if (clock.now() >= before.validUntil) connection.end(new ServiceError('SERVICE_NOT_READY'));
        throw error;
      }
    });
    const failed = (await Promise.allSettled(checked)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') onError(failed.reason);
  }

  return { know, recheck, endings };
}

/** Counts the connections of this process. */
function createClients() {
  const [perClient, perAddress] = [createCounts(), createCounts()];
  let all = 0;
  return {
    /** Returns how to leave. */
    enter({ name, ip }: Client): () => void {
      const isFull = perClient.of(name) >= MAX_OF_VISITOR || perAddress.of(ip) >= MAX_OF_ADDRESS;
      if (isFull || all >= MAX_CONNECTIONS) throw new ServiceError('TOO_MANY_CONNECTIONS', { retryAfterSeconds: 30 });
      const leave = [perClient.enter(name), perAddress.enter(ip)];
      all += 1;
      return () => {
        all -= 1;
        for (const each of leave) each();
      };
    },
  };
}

/** Checks connections at the moment when their key or session ends; a timer each only for what ends before the next check of all. */
function createEndings(clock: Clock, check: (ending: readonly Connection[]) => Promise<void>) {
  const timers = new Map<Connection, NodeJS.Timeout>();
  const forget = (connection: Connection) => {
    clearTimeout(timers.get(connection));
    timers.delete(connection);
  };
  return {
    expect(connection: Connection, validUntil: number): void {
      forget(connection);
      const left = validUntil - clock.now();
      if (left > CHECK_EVERY_MS) return;
      const timer = setTimeout(() => void check([connection]), Math.max(left, 0)).unref();
      timers.set(connection, timer);
    },
    forget,
  };
}

/** Looks each credential up once, however many connections have it. */
function lookUps(authenticator: Authenticator): (credentials: Credentials) => Promise<Known | ServiceError> {
  const asked = new Map<string, Promise<Known | ServiceError>>();
  return (credentials) => {
    const name = JSON.stringify([credentials.apiKey, credentials.authorization]);
    const found = asked.get(name) ?? knownOf(authenticator, credentials, 'current');
    asked.set(name, found);
    return found;
  };
}

async function knownOf(
  authenticator: Authenticator,
  credentials: Credentials,
  freshness: Freshness,
): Promise<Known | ServiceError> {
  const authentication = await authenticator.authenticate(credentials, freshness, 'follow');
  if (authentication.kind === 'missing') return new ServiceError('API_KEY_REQUIRED');
  if (authentication.kind === 'invalid') return new ServiceError('INVALID_API_KEY');
  return authentication.sessionRefusal ? new ServiceError('INVALID_SESSION') : authentication;
}

function concerns(change: CredentialChange | undefined, { apiKeyId, sessionId, wallet }: Caller): boolean {
  switch (change?.kind) {
    case undefined:
      return true;
    case 'key':
      return change.id === apiKeyId;
    case 'session':
      return change.id === sessionId;
    case 'wallet':
      return change.wallet === wallet;
  }
}

/** How many there are of each name; names of which none is left are forgotten. */
interface Counts {
  readonly of: (name: string) => number;
  /** Counts one more; returns how to leave, once. */
  readonly enter: (name: string) => () => void;
}

function createCounts(): Counts {
  const counts = new Map<string, number>();
  const of = (name: string) => counts.get(name) ?? 0;
  return {
    of,
    enter(name) {
      counts.set(name, of(name) + 1);
      return () => {
        const left = of(name) - 1;
        if (left > 0) counts.set(name, left);
        else counts.delete(name);
      };
    },
  };
}

type RawConnection = Socket['conn'];

/** Connections of an IP address that wait to be let in. No key bounds them, and many people may share an address. */
const MAX_NEWCOMERS_OF_ADDRESS = 500;

/** The connections that nobody has let in yet. */
interface Newcomers {
  /** Whether one more may come: those of one address leave room for all others. */
  readonly mayCome: (request: IncomingMessage) => boolean;
  readonly letIn: (connection: RawConnection) => void;
}

export function countPendingConnections(
  engine: Server['engine'],
  addressOf: (request: IncomingMessage) => string,
): Newcomers {
  const counts = createCounts();
  const waiting = new Map<RawConnection, () => void>();
  const leave = (connection: RawConnection) => {
    waiting.get(connection)?.();
    waiting.delete(connection);
  };
  engine.on('connection', (connection: RawConnection) => {
    waiting.set(connection, counts.enter(addressOf(connection.request)));
    connection.once('close', () => {
      leave(connection);
    });
  });
  return { mayCome: (request) => counts.of(addressOf(request)) < MAX_NEWCOMERS_OF_ADDRESS, letIn: leave };
}
