import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { apiVariables, loadApiConfig } from '../../src/platform/config/api.ts';
import { secretVariables } from '../../src/platform/config/environment.ts';
import { loadOpsConfig } from '../../src/platform/config/ops.ts';
import { loadWorkerConfig, workerVariables } from '../../src/platform/config/worker.ts';
import { composed, environmentOf, fixed, type Service, variables } from './compose-file.ts';

/** Those that one container alone reads, and those that several do. */
const readers: [secret: string, containers: string[]][] = [
  ['POSTGRES_PASSWORD', ['postgres']],
  ['VAULTS_DB_PASSWORD', ['migrate', 'postgres']],
  ['VAULTS_API_DB_PASSWORD', ['api', 'postgres']],
  ['VAULTS_WORKER_DB_PASSWORD', ['postgres', 'worker']],
  ['TEMPORAL_DB_PASSWORD', ['postgres', 'temporal', 'temporal-schema']],
  ['TEMPORAL_API_KEY', ['api', 'release', 'worker']],
  ['LEDGER_PROJECT_ID', ['api', 'migrate', 'worker']],
  ['ENCRYPTION_KEY', ['api']],
  ['ENCRYPTION_KEY_OTHER', ['api']],
  ['BOOTSTRAP_ADMIN_KEY', ['api']],
  ['OPERATOR_MNEMONIC', ['worker']],
];
const all = readers.map(([secret]) => secret);
const inFiles = Object.fromEntries(
  all.flatMap((name) => [[name, ''] as const, [`${name}_FILE`, `/host/${name}`] as const]),
);

test('every secret of a process can be in one', () => {
  const ofProcesses = Object.keys({ ...apiVariables.shape, ...workerVariables.shape }).filter((variable) =>
    secretVariables.some((secret) => secret === variable),
  );
  expect(all).toEqual(expect.arrayContaining(ofProcesses.filter((variable) => !fixed.includes(variable))));
});

test.each(readers)('%s is mounted into %j, no environment has it, and nothing else gets it', (secret, containers) => {
  const { services, secrets } = composed(inFiles);
  const mounting = Object.entries(services).filter(([, service]) => secretsOf(service).includes(secret));
  expect(mounting.map(([name]) => name).toSorted()).toEqual(containers);
  expect(secrets[secret]?.file).toBe(`/host/${secret}`);
  for (const [name, { environment = {} }] of mounting) {
    const variable = secret in environment ? secret : 'DATABASE_PASSWORD';
    const given = [environment[variable], environment[`${variable}_FILE`]];
    expect([name, ...given]).toEqual([name, '', `/run/secrets/${secret}`]);
  }
});

test('no container has the password of Temporal under a name of its own when it is in a file', () => {
  const { services } = composed(inFiles);
  const environments = Object.values(services).flatMap(({ environment = {} }) => Object.keys(environment));
  expect(environments.filter((name) => ['POSTGRES_PWD', 'SQL_PASSWORD'].includes(name))).toEqual([]);
});

test('the processes start with them, and without them with the variables', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'secrets-'));
  const bootstrapAdminKey = `vts_production_0_${'s'.repeat(43)}`;
  const { OPERATOR_MNEMONIC: operatorMnemonic, ENCRYPTION_KEY } = variables;
  const known = { ENCRYPTION_KEY, ENCRYPTION_KEY_OTHER: ENCRYPTION_KEY, BOOTSTRAP_ADMIN_KEY: bootstrapAdminKey };
  const texts = new Map(Object.entries({ ...variables, ...known }));
  for (const name of [...all, 'ca.crt', 'tls.crt', 'tls.key'])
    await writeFile(join(folder.path, name), `${texts.get(name) ?? name}\n`);
  const mounted = (service: Service) =>
    environmentOf(service, { '/run/secrets': folder.path, '/certificates': folder.path });

  const { api, worker } = composed(inFiles).services;
  expect(loadApiConfig(mounted(api))).toMatchObject({ bootstrapAdminKey });
  // An operator runs the command that rotates the key in it.
  const key = Buffer.from(ENCRYPTION_KEY, 'base64');
  expect(loadOpsConfig(mounted(api))).toMatchObject({ encryptionKeys: { current: key, other: key } });
  expect(loadWorkerConfig(mounted(worker))).toMatchObject({ operatorMnemonic });
  const { services, secrets } = composed();
  expect(loadWorkerConfig(mounted(services.worker))).toMatchObject({ operatorMnemonic });
  expect(secrets['OPERATOR_MNEMONIC']?.file).toBe('/dev/null');
});

function secretsOf({ secrets = [] }: Service): string[] {
  return secrets.map((secret) => (typeof secret === 'string' ? secret : secret.source));
}
