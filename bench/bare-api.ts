/** The baseline for reads: Express routes that answer the same bodies as JSON, and nothing else. Argument: JSON. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';

export interface BareInput {
  readonly apiUrl: string;
  readonly adminKey: string;
  readonly paths: readonly string[];
}

const { apiUrl, adminKey, paths } = JSON.parse(process.argv[2] ?? '') as BareInput;
const app = express();
for (const path of paths) {
  const response = await fetch(`${apiUrl}${path}`, { headers: { 'x-api-key': adminKey } });
  const body: unknown = await response.json();
  app.get(path, (_request, answer) => answer.json(body));
}
const server = createServer(app).listen(0, '127.0.0.1');
await once(server, 'listening');
process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
