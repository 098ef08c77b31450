import type { Authenticator, Credentials } from '../auth/authentication.ts';
import { ServiceError } from '../domain/errors.ts';
import type { Caller } from '../domain/identity/caller.ts';
import type { CredentialChange } from '../store/credential-changes.ts';

/** Of one process. The second is for all connections of a key and wallet, or of a key and IP address without a session. */
const MAX_CONNECTIONS = 10_000;
const MAX_OF_VISITOR = 100;
/** How often it is checked that keys and sessions have not expired, in milliseconds. Changes are heard at once. */
const CHECK_EVERY_MS = 30_000;

/** An open socket or event stream. */
export interface Connection {
  readonly credentials: Credentials;
  readonly ip: string;
  /** Ends it with the reason. */
  readonly end: (reason: ServiceError) => void;
  /** Called when the caller may do more, or less, than before. */
  readonly onCallerChange: () => void;
}

/** The connections that are open in this process. */
export interface Connections {
  /** Throws INVALID_API_KEY, INVALID_SESSION, API_KEY_REQUIRED and TOO_MANY_CONNECTIONS. */
  readonly open: (connection: Connection) => Promise<OpenConnection>;
  /** Ends all of them with the reason. */
  readonly close: (reason: ServiceError) => void;
}

export interface OpenConnection {
  /** Who the caller is now, and what it may do. */
  readonly caller: () => Caller;
  readonly remove: () => void;
}

export function createConnections(authenticator: Authenticator, onError: (error: unknown) => void): Connections {
  const connections = new Map<Connection, Caller>();
  const perVisitor = new Map<string, number>();

  const recheck = async (connection: Connection, known: Caller): Promise<void> => {
    const caller = await callerOf(authenticator, connection.credentials);
    if (caller instanceof ServiceError) {
      connection.end(caller);
      return;
    }
    if (!connections.has(connection)) return;
    connections.set(connection, caller);
    if (JSON.stringify(caller) !== JSON.stringify(known)) connection.onCallerChange();
  };

  const recheckAll = (change?: CredentialChange) => {
    const affected = [...connections].filter(([, caller]) => concerns(change, caller));
    for (const [connection, caller] of affected) void recheck(connection, caller).catch(onError);
  };

  authenticator.onForget(recheckAll);
  const timer = setInterval(recheckAll, CHECK_EVERY_MS).unref();

  return {
    async open(connection) {
      const caller = await callerOf(authenticator, connection.credentials);
      if (caller instanceof ServiceError) throw caller;
      const visitor = `${caller.apiKeyId} ${caller.wallet ?? connection.ip}`;
      const ofVisitor = perVisitor.get(visitor) ?? 0;
      if (connections.size >= MAX_CONNECTIONS || ofVisitor >= MAX_OF_VISITOR)
        throw new ServiceError('TOO_MANY_CONNECTIONS', { retryAfterSeconds: 30 });
      perVisitor.set(visitor, ofVisitor + 1);
      connections.set(connection, caller);
      return {
        caller: () => connections.get(connection) ?? caller,
        remove: () => {
          if (!connections.delete(connection)) return;
          const left = (perVisitor.get(visitor) ?? 1) - 1;
          if (left === 0) perVisitor.delete(visitor);
          else perVisitor.set(visitor, left);
        },
      };
    },
    close(reason) {
      clearInterval(timer);
      for (const connection of connections.keys()) connection.end(reason);
    },
  };
}

async function callerOf(authenticator: Authenticator, credentials: Credentials): Promise<Caller | ServiceError> {
  const authentication = await authenticator.authenticate(credentials, 'kept for seconds');
  if (authentication.kind === 'missing') return new ServiceError('API_KEY_REQUIRED');
  if (authentication.kind === 'invalid') return new ServiceError('INVALID_API_KEY');
  return authentication.isSessionRefused ? new ServiceError('INVALID_SESSION') : authentication.caller;
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
