import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';

const FOLDER = 'test/documents/frontend';

/** The files of the page by their path: its own, those of the client, and the client's one dependency. */
async function fileAt(path: string): Promise<{ type: string; text: string } | null> {
  if (path === '/') return { type: 'text/html', text: await readFile(`${FOLDER}/page.html`, 'utf8') };
  const type = 'text/javascript';
  if (path === '/openapi-fetch.mjs')
    return { type, text: await readFile('node_modules/openapi-fetch/dist/index.mjs', 'utf8') };
  if (!/^\/(client\/src|test\/documents\/frontend)\/[a-z-]+\.ts$/.test(path)) return null;
  return { type, text: stripTypeScriptTypes(await readFile(path.slice(1), 'utf8')) };
}

/** Serves the page from an origin of its own. */
export async function servePage() {
  const server = createServer((request, response) => {
    void fileAt(request.url ?? '').then((file) => {
      response.writeHead(file ? 200 : 404, { 'content-type': file?.type ?? 'text/plain' }).end(file?.text);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
