import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What becomes of a request. */
export type Fault = (response: ServerResponse) => void;

/** Answers with this. */
export const answer =
  (status: number, body: string, headers: Readonly<Record<string, string>> = {}): Fault =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  };

/** A server that passes requests on to `target`, or answers them with a fault while there is one: all, or only those that send something. */
export async function standIn(target: string) {
  const state: { fault: Fault | null; isOfSending: boolean } = { fault: null, isOfSending: false };
  const passOn = async (request: IncomingMessage, response: ServerResponse) => {
    const body = new Uint8Array(Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)));
    const { method = 'GET', url = '' } = request;
    const headers = { 'content-type': request.headers['content-type'] ?? '' };
    const found = await fetch(`${target}${url}`, { method, ...(method === 'POST' && { body, headers }) });
    answer(found.status, await found.text())(response);
  };
  const server = createServer((request, response) => {
    if (state.fault && (!state.isOfSending || request.method === 'POST')) state.fault(response);
    else passOn(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    state,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
