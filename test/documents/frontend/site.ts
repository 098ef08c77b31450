import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';

const FOLDER = 'test/documents/frontend';
const libraries: Readonly<Record<string, string>> = {
  '/openapi-fetch.mjs': 'openapi-fetch/dist/index.mjs',
  '/scure-base.mjs': '@scure/base/index.js',
};

/** The files of the page by their path: its own, those of the client, the client's one dependency, and a library that writes bech32. */
async function fileAt(path: string): Promise<{ type: string; text: string } | null> {
  if (path === '/') return { type: 'text/html', text: await readFile(`${FOLDER}/page.html`, 'utf8') };
  const type = 'text/javascript';
  const library = libraries[path];
  if (library !== undefined) return { type, text: await readFile(`node_modules/${library}`, 'utf8') };
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
