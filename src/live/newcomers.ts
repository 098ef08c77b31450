import type { IncomingMessage } from 'node:http';
import type { Server, Socket } from 'socket.io';

type Connection = Socket['conn'];

/** Connections of an IP address that wait to be let in. No key bounds them, and many people may share an address. */
const MAX_OF_ADDRESS = 500;

/** The connections that nobody has let in yet. */
export interface Newcomers {
  /** Whether one more may come: those of one address leave room for all others. */
  readonly mayCome: (request: IncomingMessage) => boolean;
  readonly letIn: (connection: Connection) => void;
}

export function countNewcomers(engine: Server['engine'], addressOf: (request: IncomingMessage) => string): Newcomers {
  const addresses = new Map<Connection, string>();
  const counts = new Map<string, number>();
  const countOf = (address: string) => counts.get(address) ?? 0;
  const leave = (connection: Connection) => {
    const address = addresses.get(connection);
    if (address === undefined) return;
    addresses.delete(connection);
    if (countOf(address) > 1) counts.set(address, countOf(address) - 1);
    else counts.delete(address);
  };
  engine.on('connection', (connection: Connection) => {
    const address = addressOf(connection.request);
    addresses.set(connection, address);
    counts.set(address, countOf(address) + 1);
    connection.once('close', () => {
      leave(connection);
    });
  });
  return { mayCome: (request) => countOf(addressOf(request)) < MAX_OF_ADDRESS, letIn: leave };
}
