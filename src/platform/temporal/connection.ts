import { Client, Connection, type ConnectionOptions } from '@temporalio/client';

/** Connects to Temporal without waiting for it: calls fail by their deadline while it is away. Closed by `connection.close()`. */
export function connectTemporal({ namespace, ...server }: TemporalAddress): Client {
  return new Client({ connection: Connection.lazy(temporalServer(server)), namespace });
}

/** Where Temporal is, how its certificate is verified, and who the service is to it. */
interface TemporalAddress {
  readonly address: string;
  readonly namespace: string;
  readonly taskQueue: string;
  /** Absent or false: the connection is not encrypted. */
  readonly tls?: Exclude<ConnectionOptions['tls'], null | undefined>;
  readonly apiKey?: string | undefined;
}

/** What connections of clients and of workers are opened with. */
export function temporalServer({ address, tls = false, apiKey }: Omit<TemporalAddress, 'namespace' | 'taskQueue'>) {
  return { address, tls, ...(apiKey !== undefined && { apiKey }) };
}
