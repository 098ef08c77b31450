import { execFileSync } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { parse } from 'yaml';
import { apiVariables, loadApiConfig } from '../../src/platform/config/api.ts';
import { loadOpsConfig, loadReleaseConfig } from '../../src/platform/config/ops.ts';
import { loadWorkerConfig, workerVariables } from '../../src/platform/config/worker.ts';
import { madeCertificates } from '../stack/certificates.ts';
import { searchAttributes } from '../../src/platform/temporal/search-attributes.ts';
import { composed, environmentOf, fixed, hasDocker, type Service, variables } from './compose-file.ts';

/** Only `npm start` sets them. */
const ofTheEmbeddedStack = ['LEDGER_EMBEDDED', 'CLOCK_OFFSET'];
let certificates: Awaited<ReturnType<typeof madeCertificates>>;
beforeAll(async () => {
  certificates = await madeCertificates();
});
afterAll(() => certificates[Symbol.asyncDispose]());

test('the api and the worker of the compose file have a valid configuration', () => {
  const { api, worker } = composed().services;

  expect(loadApiConfig(textual(api))).toMatchObject({ host: '0.0.0.0', temporal: { namespace: 'vaults' } });
  expect(loadWorkerConfig(textual(worker)).operatorMnemonic).toBe(variables.OPERATOR_MNEMONIC);
});

test('a setting that the operator wrote down does not stay outside of the container that reads it', () => {
  for (const [name, schema] of [
    ['api', apiVariables],
    ['worker', workerVariables],
  ] as const) {
    // Docker itself reads how many containers there are.
    const valueOf = (variable: string) => (variable === 'API_CONTAINERS' ? '7' : `my${variable}`);
    const chosen = Object.fromEntries(settingsOf(schema).map((variable) => [variable, valueOf(variable)]));

    expect(textual(composed(chosen).services[name])).toMatchObject(chosen);
  }
});

test('the workers get tasks once they are healthy: the version is set by the image that they run, in their namespace and deployment', () => {
  const chosen = { TEMPORAL_NAMESPACE: 'mine', TEMPORAL_DEPLOYMENT_NAME: 'my vaults', TEMPORAL_API_KEY: 'a key' };
  const { release, worker } = composed(chosen).services;

  expect(release.depends_on).toEqual({ worker: expect.objectContaining({ condition: 'service_healthy' }) });
  expect(release.command).toEqual(['node', 'src/operations/commands/main.ts', 'release']);
  const { temporal, deploymentName } = loadWorkerConfig(textual(worker));
  expect(loadReleaseConfig(textual(release))).toEqual({ temporal, deploymentName });
});

test('the documented variables are those that the processes read', () => {
  const documented = readFileSync('docs/operations/configuration.md', 'utf8');

  for (const variable of [...settingsOf(apiVariables), ...settingsOf(workerVariables), ...fixed]) {
    expect(documented).toContain(`\`${variable}\``);
  }
});

test('each part logs in to Postgres as its own role, with a password that keeps its characters of a URL', () => {
  const passwords = {
    VAULTS_DB_PASSWORD: 'a/b#c?d:e@f%20g&h',
    VAULTS_API_DB_PASSWORD: 'a/b#c?d:e@f%20g&api',
    VAULTS_WORKER_DB_PASSWORD: 'a/b#c?d:e@f%20g&worker',
  };
  const { migrate, api, worker } = composed(passwords).services;
  const logins = [loadOpsConfig(textual(migrate)), loadApiConfig(textual(api)), loadWorkerConfig(textual(worker))].map(
    ({ databaseUrl }) => {
      const { user, host, port, database, password } = new pg.Client({ connectionString: databaseUrl });
      return { user, host, port, database, password };
    },
  );

  const same = { host: 'postgres', port: 5432, database: 'vaults' };
  expect(logins).toEqual([
    { ...same, user: 'vaults', password: passwords.VAULTS_DB_PASSWORD },
    { ...same, user: 'vaults_api', password: passwords.VAULTS_API_DB_PASSWORD },
    { ...same, user: 'vaults_worker', password: passwords.VAULTS_WORKER_DB_PASSWORD },
  ]);
});

test('only the container that migrates, before api and worker start, can log in as the owner of the tables', () => {
  const { services } = composed({ VAULTS_DB_PASSWORD: "the owner's" });
  const having = Object.entries(services).filter(([, service]) => JSON.stringify(service).includes("the owner's"));

  expect(having.map(([name]) => name).toSorted()).toEqual(['migrate', 'postgres']);
  for (const name of ['api', 'worker'] as const)
    expect(services[name].depends_on?.['migrate']?.condition).toBe('service_completed_successfully');
});

test('the Temporal server gets the dynamic configuration that it does not start without', () => {
  const { environment, volumes = [] } = composed().services.temporal;
  const mounts = volumes.map((volume) => {
    const [source, target] = typeof volume === 'string' ? volume.split(':') : [volume.source, volume.target];
    return { source: source ?? '', target };
  });
  const mounted = mounts.find(({ target }) => target === environment?.['DYNAMIC_CONFIG_FILE_PATH']);

  expect(parse(readFileSync(mounted?.source ?? 'not mounted', 'utf8'))).toEqual(expect.any(Object));
});

test('each part proves its own name by a certificate of this deployment, and its key can be read by nobody else', () => {
  const authority = new X509Certificate(readFileSync(certificates.of('client').authority));
  for (const part of ['postgres', 'temporal', 'client'] as const) {
    const certificate = new X509Certificate(readFileSync(certificates.of(part).certificate));
    expect([part, certificate.verify(authority.publicKey), certificate.checkHost(part)]).toEqual([part, true, part]);
    expect(certificate.ca).toBe(false);
    expect(certificate.checkPrivateKey(createPrivateKey(readFileSync(certificates.of(part).key)))).toBe(true);
  }
  expect(statSync(certificates.of('postgres').key).mode & 0o077).toBe(0);
  expect(execFileSync('find', [certificates.folder, '-name', 'ca.key'], { encoding: 'utf8' })).toBe('');

  const mounts = Object.entries(composed().services).flatMap(([name, { volumes = [] }]) =>
    volumes.map((volume) => [name, typeof volume === 'string' ? volume.split(':')[0] : volume.source]),
  );
  const having = (folder: string) => mounts.filter(([, source]) => source === folder).map(([name]) => name);
  expect(having('certificates-postgres')).toEqual(['certificates', 'postgres']);
  expect(having('certificates-temporal')).toEqual(['certificates', 'temporal-schema', 'temporal']);
});

test('Postgres reads who may log in from the file that the test of its roles tries', () => {
  const { command = [], volumes = [] } = composed().services.postgres;
  const target = command.map((flag) => /^hba_file=(.*)/.exec(flag)?.[1]).find((path) => path !== undefined);
  expect(JSON.stringify(volumes)).toMatch(
    hasDocker ? `"target":"${target}"` : `./docker/postgres-hba.conf:${target}:ro`,
  );
});

test('the image is built from what its Dockerfile copies, and from nothing else', () => {
  const linesOf = (file: string) => readFileSync(file, 'utf8').split('\n');
  const copied = linesOf('Dockerfile').filter((line) => line.startsWith('COPY '));
  const sources = copied.flatMap((line) => line.split(' ').slice(1, -1));
  const sent = linesOf('.dockerignore').filter((line) => line.startsWith('!'));
  expect(sent.map((line) => line.slice(1)).toSorted()).toEqual(sources.toSorted());
});

test('a second start keeps the certificates', () => {
  const { certificate } = certificates.of('client');
  const before = readFileSync(certificate, 'utf8');
  execFileSync('/bin/sh', ['docker/certificates.sh'], { env: { ...process.env, CERTIFICATES: certificates.folder } });
  expect(readFileSync(certificate, 'utf8')).toBe(before);
});

test('the metrics of both can be read only from the host', () => {
  const { api, worker } = composed().services;

  for (const [name, config] of [
    ['api', loadApiConfig(textual(api))],
    ['worker', loadWorkerConfig(textual(worker))],
  ] as const) {
    expect([name, config.metrics]).toEqual([name, { host: '0.0.0.0', port: 9464 }]);
    const published = JSON.stringify(composed().services[name].ports);
    expect(published).toMatch(hasDocker ? /"target":9464/ : /127\.0\.0\.1:94\d\d-94\d\d:9464/);
    expect(published).not.toContain('0.0.0.0');
  }
});

test('a worker that hangs and an api without a worker are not healthy for docker', () => {
  const { api, worker } = composed().services;
  const ports = { api: loadApiConfig(textual(api)).port, worker: loadWorkerConfig(textual(worker)).metrics.port };

  expect(api.healthcheck?.test.join(' ')).toContain(`http://127.0.0.1:${ports.api}/health/ready`);
  expect(worker.healthcheck?.test.join(' ')).toContain(`http://127.0.0.1:${ports.worker}/health/ready`);
});

test('only the worker gets the custody key', () => {
  for (const [name, { environment }] of Object.entries(composed().services)) {
    expect([name, environment !== undefined && 'OPERATOR_MNEMONIC' in environment]).toEqual([name, name === 'worker']);
  }
});

test('the api and the worker start only after the namespace and its search attributes exist', () => {
  const { services } = composed();
  const script = readFileSync('docker/temporal-namespace.sh', 'utf8');

  for (const name of ['api', 'worker'] as const) {
    expect(services[name].depends_on?.['temporal-setup']?.condition).toBe('service_completed_successfully');
  }
  const types = { KEYWORD: 'Keyword', DATETIME: 'Datetime' };
  for (const { name, type } of Object.values(searchAttributes)) {
    expect(script).toContain(`${name}=${types[type]}`);
  }
});

test('the example file lists every required variable', () => {
  const required = readFileSync('docker-compose.yml', 'utf8').matchAll(/\$\{(\w+):?\?/g);
  const example = readFileSync('.env.example', 'utf8');

  for (const [, name] of required) expect(example).toMatch(new RegExp(`^${name ?? ''}=`, 'm'));
});

/** The variables that a deployment may set. */
function settingsOf({ shape }: { readonly shape: object }): string[] {
  return Object.keys(shape).filter((variable) => !fixed.includes(variable) && !ofTheEmbeddedStack.includes(variable));
}

/** The environment of a container of the service, with the certificates that it mounts. */
function textual(service: Service): Record<string, string> {
  return environmentOf(service, { '/certificates/': `${certificates.folder}/client/` });
}
