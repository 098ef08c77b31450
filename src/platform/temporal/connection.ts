import { Client, Connection } from '@temporalio/client';
import { type TemporalAddress, temporalServer } from './server.ts';

/** Connects to Temporal without waiting for it: calls fail by their deadline while it is away. Closed by `connection.close()`. */
export function connectTemporal({ namespace, ...server }: TemporalAddress): Client {
  return new Client({ connection: Connection.lazy(temporalServer(server)), namespace });
}
