import { Client, Connection } from '@temporalio/client';

export interface TemporalAddress {
  readonly address: string;
  readonly namespace: string;
  readonly taskQueue: string;
}

/** Connects to Temporal without waiting for it: calls fail by their deadline while it is away. Closed by `connection.close()`. */
export function connectTemporal({ address, namespace }: TemporalAddress): Client {
  return new Client({ connection: Connection.lazy({ address }), namespace });
}
