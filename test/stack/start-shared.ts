import { chmod, mkdtemp, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';
import type { Development } from '../../embedded/dev/development.ts';
import { developmentRoutes } from '../../embedded/dev/routes.ts';
import { ensureRoles, prepareEmbeddedDatabase } from '../../embedded/databases.ts';
import { claimPort } from '../../embedded/ports.ts';
import { ensureDatabase, query, startPostgres } from '../../embedded/postgres.ts';
import { startSupervisor, type Supervisor } from '../../embedded/supervisor.ts';
import { findTemporal } from '../../embedded/temporal-binary.ts';
import { startTemporal } from '../../embedded/temporal.ts';
import { deriveKeys } from '../../src/cardano/keys/keys.ts';
import { apiVersion } from '../../src/versions/rules.ts';
import { apiRoutes } from '../../src/routes.ts';
import { openApiDocument } from '../../src/platform/openapi/document.ts';
import { withContracts } from '../../src/platform/openapi/route.ts';
import { publishVaultKeys } from '../../src/operations/operator-funds.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { canaries } from '../secrets/canaries.ts';
import { run } from './run-state.ts';
import {
  eventsBeforeContinueAsNew,
  namespaces,
  publishSharedStack,
  templateDatabase,
  templateWithKeys,
} from './shared-stack.ts';

/** A file system in memory. Each test's database is a thousand files, whose creation and deletion on a disk take a second of CPU. */
const memory = '/dev/shm';
const DATABASES_NEED = 2 ** 31;

/** One Postgres, one Temporal server, the migrated templates and one workflow bundle for the whole run. */
export default async function startShared(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'vault-tests-'));
  await chmod(folder, 0o755);
  const supervisor = await startSupervisor(folder);
  if (!supervisor) throw new Error(`${folder} is not ours`);
  run.supervisor = supervisor;
  run.folder = folder;

  const [maintenanceUrl, temporalAddress, workflowBundle, openApiFile] = await Promise.all([
    postgresWithTemplates(supervisor),
    temporal(supervisor, folder),
    bundle(folder),
    openApi(folder),
  ]);
  publishSharedStack({ folder, maintenanceUrl, temporalAddress, workflowBundle, openApiFile });
}

async function postgresWithTemplates(supervisor: Supervisor): Promise<string> {
  const port = await claimPort('Postgres', 0);
  const folder = await mkdtemp(join((await hasBudget(memory)) ? memory : tmpdir(), 'vault-tests-databases-'));
  await chmod(folder, 0o755);
  run.databases = folder;
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' };
  const postgres = { folder: join(folder, 'postgres'), port, password: canaries.databasePassword, settings };
  const maintenanceUrl = await startPostgres(supervisor, postgres);
  await ensureRoles(maintenanceUrl, canaries);
  await prepareEmbeddedDatabase(await ensureDatabase(maintenanceUrl, templateDatabase));
  await query(maintenanceUrl, `CREATE DATABASE ${templateWithKeys} TEMPLATE ${templateDatabase}`);
  await publishKeys(await ensureDatabase(maintenanceUrl, templateWithKeys));
  await query(maintenanceUrl, 'CREATE SEQUENCE test_number');
  await query(maintenanceUrl, `CREATE SEQUENCE namespace_number MAXVALUE ${namespaces.length - 1}`);
  return maintenanceUrl;
}

async function hasBudget(folder: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize >= DATABASES_NEED;
}

async function publishKeys(databaseUrl: string): Promise<void> {
  const db = openDatabase(databaseUrl, () => undefined, 1);
  try {
    await publishVaultKeys(db, deriveKeys(canaries.operatorMnemonic, 0));
  } finally {
    await db.destroy();
  }
}

async function temporal(supervisor: Supervisor, folder: string): Promise<string> {
  const binary = await findTemporal(() => undefined);
  const port = await claimPort('Temporal', 0);
  return startTemporal(supervisor, {
    binary,
    databaseFile: join(folder, 'temporal.db'),
    port,
    uiPort: undefined,
    namespaces,
    configuration: [
      `limit.historyCount.suggestContinueAsNew=${eventsBeforeContinueAsNew}`,
      // Of several partitions, those whose stack has ended pass each waiting task on to the first one, ten times a second, for ever.
      'matching.numTaskqueueReadPartitions=1',
      'matching.numTaskqueueWritePartitions=1',
      // Four services of the server read all namespaces again each time, every two seconds by default.
      'system.namespaceCacheRefreshInterval="60s"',
    ],
  });
}

async function bundle(folder: string): Promise<string> {
  const workflowsPath = fileURLToPath(new URL('../../workflows/index.ts', import.meta.url));
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: quiet });
  const file = join(folder, 'workflows.cjs');
  await writeFile(file, code);
  return file;
}

async function openApi(folder: string): Promise<string> {
  const routes = { ...apiRoutes, dev: developmentRoutes({} as Development) };
  const version = apiVersion.slice(1);
  const file = join(folder, 'openapi.json');
  await writeFile(file, JSON.stringify(openApiDocument(withContracts(routes, version), version)));
  return file;
}

const nothing = () => undefined;
const quiet = { log: nothing, trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing };
