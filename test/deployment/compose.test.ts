import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { loadApiConfig } from '../../src/config/api.ts';
import { loadWorkerConfig } from '../../src/config/worker.ts';
import { searchAttributes } from '../../src/temporal/search-attributes.ts';

interface Service {
  readonly ports?: readonly unknown[];
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}
interface Compose {
  readonly services: Readonly<Record<'postgres' | 'temporal' | 'temporal-setup' | 'api' | 'worker', Service>>;
}

const variables = {
  POSTGRES_PASSWORD: 'a',
  VAULTS_DB_PASSWORD: 'b',
  TEMPORAL_DB_PASSWORD: 'c',
  LEDGER_URL: 'https://ledger.example/api/v0',
  PRICE_FEED_URL: 'https://prices.example',
  ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
  OPERATOR_MNEMONIC: `${'abandon '.repeat(23)}art`,
};
const hasDocker = spawnSync('docker', ['compose', 'version']).status === 0;

test('the api and the worker of the compose file have a valid configuration', () => {
  const { api, worker } = composed().services;

  expect(loadApiConfig(textual(api))).toMatchObject({ host: '0.0.0.0', temporal: { namespace: 'vaults' } });
  expect(loadWorkerConfig(textual(worker)).operatorMnemonic).toBe(variables.OPERATOR_MNEMONIC);
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
  const required = readFileSync('docker-compose.yml', 'utf8').matchAll(/\$\{(\w+):\?/g);
  const example = readFileSync('.env.example', 'utf8');

  for (const [, name] of required) expect(example).toMatch(new RegExp(`^${name ?? ''}=`, 'm'));
});

/** The environment as a container gets it. */
function textual({ environment = {} }: Service): Record<string, string> {
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, String(value)]));
}

/** As docker reads it; where there is no docker, as YAML with the variables put in. */
function composed(): Compose {
  if (hasDocker) {
    const env = { ...process.env, ...variables };
    return JSON.parse(
      execFileSync('docker', ['compose', 'config', '--format', 'json'], { env, encoding: 'utf8' }),
    ) as Compose;
  }
  const text = readFileSync('docker-compose.yml', 'utf8');
  const filled = text.replace(/\$\{(\w+)(:[-?])([^}]*)\}/g, (_whole, name: string, kind: string, fallback: string) => {
    const value = new Map(Object.entries(variables)).get(name);
    if (value === undefined && kind === ':?') throw new Error(`${name} has no value: ${fallback}`);
    return value ?? (fallback === '' ? "''" : fallback);
  });
  return parse(filled, { merge: true }) as Compose;
}
