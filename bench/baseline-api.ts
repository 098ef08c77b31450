/**
 * The baselines for reads, as Express routes that keep nothing: below /static the bytes of the service, which Express sends as JSON, and below
 * /sql the statements of the service, whose rows are sent as JSON. Input: JSON.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import pg from 'pg';
import type { SentStatement } from './recorded-reads.ts';

export interface BaselineInput {
  readonly databaseUrl: string;
  readonly connections: number;
  readonly reads: readonly {
    readonly path: string;
    readonly body: unknown;
    readonly statements: readonly SentStatement[];
  }[];
}

const { databaseUrl, connections, reads } = JSON.parse(readFileSync(0, 'utf8')) as BaselineInput;
const pool = new pg.Pool({ connectionString: databaseUrl, max: connections, options: '-c jit=off' });
const app = express();
for (const { path, body, statements } of reads) {
  app.get(`/static${path}`, (_request, answer) => answer.json(body));
  app.get(`/sql${path}`, async (_request, answer) => {
    const rows: unknown[] = [];
    for (const [place, { text, values }] of statements.entries())
      rows.push((await pool.query({ name: `${path} ${place}`.slice(-60), text, values: [...values] })).rows);
    answer.json(rows);
  });
}
const server = createServer(app).listen(0, '127.0.0.1');
await once(server, 'listening');
process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
