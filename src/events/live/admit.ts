import type { Express } from 'express';
import type { ExtendedError, Socket } from 'socket.io';
import type { Credentials } from '../../access/authentication.ts';
import type { Ids } from '../../platform/units/ids.ts';
import { type AddressOf, networkOf } from '../../platform/http/client-address.ts';
import { dispatcherOf } from '../../platform/http/dispatch.ts';
import { parseRequest } from '../../platform/http/parse-request.ts';
import { Handshake } from './socket-requests.ts';

/** A cheap operation that every caller may use: it counts the handshake, and refuses what any request would be refused for. */
const COUNTED_PATH = '/api/v1/versions';

/** What is known of a socket after its handshake. */
export interface AdmittedSocket {
  readonly credentials: Credentials;
  readonly ip: string;
  readonly correlationId: string;
}

/** Who is asked about a socket. */
export interface Admitting {
  readonly application: Express;
  readonly addressOf: AddressOf;
}

/** Checks who connects, as a request would: keys, sessions, and limits. Throws an error for `connect_error`, whose data is the body of the refusal. */
export async function admit(
  { application, addressOf }: Admitting,
  ids: Ids,
  { handshake, request }: Socket,
): Promise<AdmittedSocket> {
  const correlationId = ids.next();
  const { body: auth } = parseRequest(
    { body: Handshake },
    { params: {}, query: {}, body: handshake.auth },
    'INVALID_REQUEST',
  );
  const credentials = {
    apiKey: auth.apiKey ?? firstOf(handshake.headers['x-api-key']),
    authorization: auth.token === undefined ? handshake.headers.authorization : `Bearer ${auth.token}`,
  };
  const headers = { ...handshake.headers, 'x-api-key': credentials.apiKey, authorization: credentials.authorization };
  const dispatch = dispatcherOf({ headers, socket: request.socket }, application, correlationId);
  const response = await dispatch({ method: 'GET', url: COUNTED_PATH, body: null, idempotencyKey: null });
  if (response.status !== 200) throw connectError(response.body);
  return { credentials, ip: networkOf(addressOf(request)), correlationId };
}

/** The error that `connect_error` gives a client, with the body that a request would get. */
export function connectError(body: unknown): ExtendedError {
  const { error } = body as { readonly error: { readonly message: string } };
  return Object.assign(new Error(error.message), { data: body });
}

function firstOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
