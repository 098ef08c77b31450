import createFetchClient, { type Client as FetchClient } from 'openapi-fetch';
import { type Connection, credentialsOf } from './connection.ts';
import type { paths } from './schema.ts';
import { serviceErrorOf } from './service-error.ts';

/** A function for each HTTP method, which knows the paths, requests and responses of every operation. */
export type Client = FetchClient<paths, 'application/json'>;

/** Calls of the service by one caller; each returns `{ data }` or `{ error }`. */
export function createClient(connection: Connection): Client {
  const { baseUrl, fetch } = connection;
  return createFetchClient<paths, 'application/json'>({
    baseUrl,
    headers: credentialsOf(connection),
    ...(fetch && { fetch }),
  });
}

/** What a call returned. */
interface CallResult<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/** The data of a call that succeeded. Throws a ServiceError for one that did not. */
export function requireData<Data>({ data, error, response }: CallResult<Data>): Data {
  if (!response.ok) throw serviceErrorOf(error, response.status);
  return data as Data;
}
