import type { IncomingMessage } from 'node:http';
import type { Server, Socket } from 'socket.io';
import { createCounts } from './counts.ts';

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
  const counts = createCounts();
  const waiting = new Map<Connection, () => void>();
  const leave = (connection: Connection) => {
    waiting.get(connection)?.();
    waiting.delete(connection);
  };
  engine.on('connection', (connection: Connection) => {
    waiting.set(connection, counts.enter(addressOf(connection.request)));
    connection.once('close', () => {
      leave(connection);
    });
  });
  return { mayCome: (request) => counts.of(addressOf(request)) < MAX_OF_ADDRESS, letIn: leave };
}
