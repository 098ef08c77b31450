import type { ConnectionOptions } from '@temporalio/client';

/** Where Temporal is, how its certificate is verified, and who the service is to it. */
export interface TemporalAddress {
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
