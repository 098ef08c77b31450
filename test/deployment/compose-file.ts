import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export interface Service {
  readonly command?: readonly string[];
  readonly ports?: readonly unknown[];
  readonly volumes?: readonly (string | { readonly source: string; readonly target: string })[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly secrets?: readonly (string | { readonly source: string })[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}
interface Compose {
  readonly services: Readonly<
    Record<'postgres' | 'temporal' | 'temporal-setup' | 'migrate' | 'api' | 'worker' | 'release', Service>
  >;
  /** Files of the host. */
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

/** What a deployment has to set. */
export const variables = {
  POSTGRES_PASSWORD: 'a',
  VAULTS_DB_PASSWORD: 'b',
  VAULTS_API_DB_PASSWORD: 'owned by the api',
  VAULTS_WORKER_DB_PASSWORD: 'owned by the worker',
  TEMPORAL_DB_PASSWORD: 'c',
  PUBLIC_ORIGIN: 'https://vaults.example',
  LEDGER_URL: 'https://ledger.example/api/v0',
  PRICE_FEED_URL: 'https://prices.example',
  ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
  OPERATOR_MNEMONIC: `${'abandon '.repeat(23)}art`,
};
/** The containers reach each other by these variables, so a deployment does not set them. */
export const fixed = [
  ...['DATABASE_URL', 'DATABASE_PASSWORD', 'HOST', 'PORT', 'METRICS_HOST', 'METRICS_PORT'],
  ...['TEMPORAL_ADDRESS', 'TEMPORAL_TLS', 'TEMPORAL_TLS_SERVER_CA_CERT_PATH'],
  ...['TEMPORAL_TLS_CLIENT_CERT_PATH', 'TEMPORAL_TLS_CLIENT_KEY_PATH'],
];
export const hasDocker = spawnSync('docker', ['compose', 'version']).status === 0;

/** The compose file as docker reads it; without docker, its YAML with the variables replaced. */
export function composed(chosen: Readonly<Record<string, string>> = {}): Compose {
  const given = { ...variables, ...chosen };
  if (hasDocker) {
    const env = { ...process.env, ...given };
    return JSON.parse(
      execFileSync('docker', ['compose', 'config', '--format', 'json'], { env, encoding: 'utf8' }),
    ) as Compose;
  }
  const text = readFileSync('docker-compose.yml', 'utf8');
  const values = new Map(Object.entries(given));
  const filled = text.replace(
    /\$\{(\w+)(:?)([-?+])([^}]*)\}/g,
    (_, name: string, colon: string, kind: string, other: string) => {
      const value = values.get(name) ?? '';
      const isSet = colon === '' ? values.has(name) : value !== '';
      if (!isSet && kind === '?') throw new Error(`${name} has no value: ${other}`);
      const chosenOther = isSet === (kind === '+');
      const text = chosenOther ? other : isSet ? value : '';
      return text === '' ? "''" : text;
    },
  );
  return parse(filled, { merge: true }) as Compose;
}

/** The environment of a container of the service, with folders of this machine instead of those that it mounts. */
export function environmentOf(
  { environment = {} }: Service,
  folders: Readonly<Record<string, string>>,
): Record<string, string> {
  const here = (value: string) =>
    Object.entries(folders).reduce((text, [mounted, folder]) => text.replaceAll(mounted, folder), value);
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, here(String(value))]));
}
