import { chown, readFile, stat } from 'node:fs/promises';
import { createSecureServer } from 'node:http2';
import { type AddressInfo, connect, type Server } from 'node:net';
import { createServer } from 'node:tls';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { userInfo } from 'node:os';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { query } from '../../embedded/postgres.ts';
import { findTemporal } from '../../embedded/temporal-binary.ts';
import { loadWorkerConfig } from '../../src/platform/config/worker.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { connectTemporal, temporalServer } from '../../src/platform/temporal/connection.ts';
import { canaries } from '../secrets/canaries.ts';
import { madeCertificates } from '../stack/certificates.ts';
import { namespaceWithoutWorker, sharedStack } from '../stack/shared-stack.ts';
import { openPool } from '../stack/test-database.ts';
import { until } from '../stack/until.ts';

type Certificates = Awaited<ReturnType<typeof madeCertificates>>;

let ours: Certificates;
/** Of another deployment. */
let foreign: Certificates;
beforeAll(async () => {
  [ours, foreign] = await Promise.all([madeCertificates(), madeCertificates()]);
});
afterAll(async () => {
  await ours[Symbol.asyncDispose]();
  await foreign[Symbol.asyncDispose]();
});

/** The configuration of a worker in production. */
function production(variables: Readonly<Record<string, string>>) {
  return loadWorkerConfig({
    DATABASE_URL: 'postgres://vaults@database.example/vaults?sslmode=verify-full',
    TEMPORAL_ADDRESS: 'temporal.example:7233',
    TEMPORAL_NAMESPACE: namespaceWithoutWorker,
    TEMPORAL_TLS: 'true',
    TEMPORAL_API_KEY: canaries.ledgerProjectId,
    NETWORK: 'preprod',
    LEDGER_URL: 'https://ledger.example',
    PRICE_FEED_URL: 'https://prices.example',
    OPERATOR_MNEMONIC: canaries.operatorMnemonic,
    ...variables,
  });
}

describe('Postgres', () => {
  beforeAll(() => switchEncryption(true));
  afterAll(() => switchEncryption(false));

  /** Asks Postgres whether the connection is encrypted. */
  async function isEncrypted(host: string, { of }: Certificates): Promise<unknown> {
    const url = new URL(sharedStack().maintenanceUrl);
    url.hostname = host;
    url.search = `?sslmode=verify-full&sslrootcert=${of('client').authority}`;
    const { databaseUrl } = production({ DATABASE_URL: url.href });
    const db = openDatabase(databaseUrl, () => undefined, 1);
    try {
      const query = sql<{ ssl: boolean }>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`;
      return (await query.execute(db)).rows[0]?.ssl;
    } finally {
      await db.destroy();
    }
  }

  test('is reached encrypted, if its certificate is of our authority and of its name', async () => {
    expect(await isEncrypted('localhost', ours)).toBe(true);
    await expect(isEncrypted('localhost', foreign)).rejects.toThrow(/certificate/);
    await expect(isEncrypted('127.0.0.1', ours)).rejects.toThrow(/altnames/);
  });
});

/** Lets the shared Postgres accept encrypted connections, besides the others. */
async function switchEncryption(isOn: boolean): Promise<void> {
  const pool = openPool(sharedStack().maintenanceUrl, 1);
  try {
    const { certificate, key } = ours.of('postgres');
    const { rows } = await pool.query<{ data_directory: string }>('show data_directory');
    const { uid, gid } = await stat(rows[0]?.data_directory ?? '');
    if (userInfo().uid === 0) await chown(key, uid, gid);
    for (const [name, value] of [
      ['ssl_cert_file', certificate],
      ['ssl_key_file', key],
      ['ssl', 'on'],
    ])
      await pool.query(isOn ? `alter system set ${name} = '${value}'` : `alter system reset ${name}`);
    await pool.query('select pg_reload_conf()');
    const isDone = async () => {
      const { rows } = await query(sharedStack().maintenanceUrl, 'show ssl');
      return (rows as { ssl: string }[])[0]?.ssl === (isOn ? 'on' : 'off');
    };
    await until(isDone, { what: 'Postgres to read its configuration' });
  } finally {
    await pool.end();
  }
}

describe('Temporal', () => {
  /** In front of the shared server: only clients with a certificate of ours get through. */
  let door: Server;
  beforeAll(async () => {
    const { authority, certificate, key } = ours.of('temporal');
    const [ca, cert, privateKey] = await Promise.all([authority, certificate, key].map((file) => readFile(file)));
    const [host, port] = sharedStack().temporalAddress.split(':');
    door = createServer({ ca, cert, key: privateKey, requestCert: true, ALPNProtocols: ['h2'] }, (socket) => {
      const server = connect({ host, port: Number(port) });
      socket.on('error', () => server.destroy());
      server.on('error', () => socket.destroy());
      socket.pipe(server).pipe(socket);
    });
    await once(door.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(() => {
    door.close();
  });

  const variables = (authority: Certificates, client: Certificates) => ({
    TEMPORAL_ADDRESS: `localhost:${(door.address() as AddressInfo).port}`,
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: authority.of('client').authority,
    TEMPORAL_TLS_CLIENT_CERT_PATH: client.of('client').certificate,
    TEMPORAL_TLS_CLIENT_KEY_PATH: client.of('client').key,
    TEMPORAL_API_KEY: '',
  });

  const configured = (...parts: Parameters<typeof variables>) => production(variables(...parts)).temporal;

  test('is reached encrypted by who has a certificate, if it has one itself', async () => {
    const { connection } = connectTemporal(configured(ours, ours));
    const native = await NativeConnection.connect(temporalServer(configured(ours, ours)));
    for (const { workflowService } of [connection, native])
      expect(await workflowService.getSystemInfo({})).toMatchObject({ serverVersion: expect.any(String) });
    await connection.close();
    await native.close();
  });

  test.each([
    ['proves another name', () => configured(foreign, ours)],
    ['does not know the certificate of the service', () => configured(ours, foreign)],
  ])('that %s is not spoken to', async (_what, temporal) => {
    const server = temporalServer(temporal());
    await expect(Connection.connect({ ...server, connectTimeout: 3000 })).rejects.toThrow();
    await expect(NativeConnection.connect(server)).rejects.toThrow();
  });

  test('is reached by the command of the namespace job with the variables of the compose file', async () => {
    const { TEMPORAL_API_KEY: _, ...env } = variables(ours, ours);
    const describeNamespace = async (environment: object) => {
      const options = { env: { ...environment, PATH: '/usr/bin:/bin', HOME: ours.folder }, timeout: 20_000 };
      const args = ['operator', 'namespace', 'describe', '--namespace', namespaceWithoutWorker];
      return (await promisify(execFile)(await findTemporal(() => undefined), args, options)).stdout;
    };
    expect(await describeNamespace({ ...env, TEMPORAL_TLS: 'true' })).toContain(namespaceWithoutWorker);
    await expect(describeNamespace({ TEMPORAL_ADDRESS: env.TEMPORAL_ADDRESS })).rejects.toThrow();
  });

  test('is told the API key, over an encrypted connection only', async () => {
    const { authority, certificate, key } = ours.of('temporal');
    const told: unknown[] = [];
    const server = createSecureServer({ cert: await readFile(certificate), key: await readFile(key) });
    server.on('stream', (stream, headers) => {
      told.push(headers.authorization);
      stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '7' }, { endStream: true });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { temporal } = production({
      TEMPORAL_ADDRESS: `localhost:${(server.address() as AddressInfo).port}`,
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: authority,
    });
    const { connection } = connectTemporal(temporal);
    const refused = /permission|denied/i;
    await expect(connection.workflowService.getSystemInfo({})).rejects.toThrow(refused);
    await expect(NativeConnection.connect(temporalServer(temporal))).rejects.toThrow();
    await connection.close();
    server.close();

    expect(told.length).toBeGreaterThan(1);
    expect(new Set(told)).toEqual(new Set([`Bearer ${canaries.ledgerProjectId}`]));
  });
});
