import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { ensureApiKey } from '../src/access/api-keys.ts';
import { loadReleaseConfig } from '../src/platform/config/ops.ts';
import { wallClock } from '../src/platform/units/time.ts';
import { createIds } from '../src/platform/units/ids.ts';
import { requireWorker } from '../src/operations/require-not-paused.ts';
import { openDatabase } from '../src/platform/database/database.ts';
import { createUnitOfWork, offsetClock } from '../src/platform/database/unit-of-work.ts';
import { connectTemporal } from '../src/platform/temporal/connection.ts';
import { setCurrentVersion } from '../src/platform/temporal/deployment.ts';
import { type DatabaseUrls, databaseUrls, ensureRoles, prepareEmbeddedDatabase } from './databases.ts';
import { claimAll, claimPort } from './ports.ts';
import { databaseUrl, ensureDatabase, startPostgres } from './postgres.ts';
import type { Secrets } from './secrets.ts';
import {
  apiProgram,
  ledgerProgram,
  loadedEarly,
  type ServiceAddresses,
  type StartedParts,
  workerProgram,
} from './services.ts';
import type { StackSettings } from './settings.ts';
import type { Child, Program, Supervisor } from './supervisor.ts';
import { eventually } from './eventually.ts';
import { findTemporal } from './temporal-binary.ts';
import { startTemporal } from './temporal.ts';
import { workflowBundle } from './workflow-bundle.ts';

/** The addresses in stack.json. Null: not started, or part of an external server. */
export interface StackAddresses {
  readonly apiUrl: string;
  readonly adminKey: string;
  /** A key without a role: its permissions come from the wallet's session. */
  readonly frontendKey: string;
  /** The OpenAPI document. */
  readonly docsUrl: string;
  readonly temporalUiUrl: string | null;
  readonly temporalAddress: string;
  /** The owner's. */
  readonly databaseUrl: string;
  readonly ledgerUrl: string;
  readonly metricsUrl: string;
  readonly workerMetricsUrl: string;
}

interface StackContext {
  readonly supervisor: Supervisor;
  readonly secrets: Secrets;
  readonly environment: NodeJS.ProcessEnv;
  readonly log: (line: string) => void;
}

type Ports = StackSettings['ports'];

const RELEASE_SECONDS = 60;

/** Starts every part that is not external: first those that depend on no other part. */
export async function startStack(settings: StackSettings, context: StackContext): Promise<StackAddresses> {
  const { supervisor, secrets, environment, log } = context;
  const ports = await claimPorts(settings);

  log('Starting Postgres, Temporal, the ledger, the worker and the API…');
  const databases = databasesOf(settings, secrets, ports.postgres);
  const parts = startParts(settings, context, { ports, databases });
  const temporalAddress = settings.temporalAddress ?? `127.0.0.1:${ports.temporal}`;
  const surroundings: ServiceAddresses = {
    databaseUrls: databases,
    temporalAddress,
    temporalNamespace: 'default',
    embeddedLedger: settings.ledgerUrl === undefined ? null : undefined,
    secrets,
    chosen: { TEMPORAL_DEPLOYMENT_NAME: 'vaults', ...environment },
  };
  const start = (program: Program, modules: string) => supervisor.start(loadedEarly(program, modules, parts)).ready;
  const [{ embeddedLedger }, worker, api] = await Promise.all([
    parts,
    startWorker(workerProgram(surroundings, ports.workerMetrics), start),
    start(apiProgram(surroundings, ports), 'embedded/development-api.ts'),
  ]);
  await completeStart(databases.owner, secrets.frontendKey);
  const apiUrl = requireReported(api.url, 'api');
  return {
    apiUrl,
    adminKey: secrets.adminKey,
    frontendKey: secrets.frontendKey,
    docsUrl: `${apiUrl}/docs/`,
    temporalUiUrl: settings.temporalAddress === undefined ? `http://127.0.0.1:${ports.temporalUi}` : null,
    temporalAddress,
    databaseUrl: databases.owner,
    ledgerUrl: settings.ledgerUrl ?? `${embeddedLedger ?? ''}/api/v0`,
    metricsUrl: requireReported(api.metricsUrl, 'api'),
    workerMetricsUrl: requireReported(worker.metricsUrl, 'worker'),
  };
}

/** Starts the worker, and gives it all tasks: no other one is left of a start before this one. */
async function startWorker(
  program: Program,
  start: (program: Program, modules: string) => Child['ready'],
): Promise<Awaited<Child['ready']>> {
  const worker = await start(program, 'worker/worker.ts');
  if (worker.buildId === undefined) return worker;
  const { temporal, deploymentName } = loadReleaseConfig(program.env);
  const client = connectTemporal(temporal);
  try {
    await setCurrentVersion(client, { deploymentName, buildId: worker.buildId }, RELEASE_SECONDS);
  } finally {
    await client.connection.close();
  }
  return worker;
}

/** Requests per rate-limit window: one key serves all wallets of a developer. */
const FRONTEND_REQUESTS = 10_000;

/** Stores the frontend key, and waits until the api accepts what the worker has to do. */
async function completeStart(databaseUrl: string, text: string): Promise<void> {
  // Short-lived, so idle errors need no handler: a query on a broken connection fails itself.
  const db = openDatabase(databaseUrl, () => undefined, 1);
  try {
    const ids = createIds({ clock: wallClock, random: randomBytes });
    const unitOfWork = createUnitOfWork(db, offsetClock(wallClock), ids);
    const key = { text, name: 'frontend', roles: [], rateLimit: FRONTEND_REQUESTS };
    await ensureApiKey({ unitOfWork, clock: wallClock }, key);
    await eventually('the worker is given tasks', () => requireWorker(db), RELEASE_SECONDS * 1000);
  } finally {
    await db.destroy();
  }
}

/** An address that a part must report when it is ready. */
function requireReported(address: string | undefined, part: string): string {
  if (address === undefined) throw new Error(`the ${part} did not report its address`);
  return address;
}

function claimPorts({ ports, databaseUrl, temporalAddress, ledgerUrl }: StackSettings): Promise<Ports> {
  const claim = (variable: string, port: number, given?: string) => () =>
    given === undefined ? claimPort(variable, port) : port;
  // A part that can report its port chooses a free one itself: a port chosen now might be taken by then.
  const check = (variable: string, port: number, given?: string) =>
    port === 0 ? () => 0 : claim(variable, port, given);
  return claimAll({
    api: check('PORT', ports.api),
    metrics: check('METRICS_PORT', ports.metrics),
    workerMetrics: check('WORKER_METRICS_PORT', ports.workerMetrics),
    postgres: claim('POSTGRES_PORT', ports.postgres, databaseUrl),
    temporal: claim('TEMPORAL_PORT', ports.temporal, temporalAddress),
    temporalUi: claim('TEMPORAL_UI_PORT', ports.temporalUi, temporalAddress),
    ledger: check('LEDGER_PORT', ports.ledger, ledgerUrl),
  });
}

/** Every process of the service has its own pools, and a developer's tools come on top. */
const MAX_CONNECTIONS = '300';
const DATABASE = 'vaults';

/** Starts every part that depends on no other one, until all are ready. */
async function startParts(
  settings: StackSettings,
  context: StackContext,
  { ports, databases }: { ports: Ports; databases: DatabaseUrls },
): Promise<StartedParts> {
  const parts = [
    settings.ledgerUrl === undefined ? startLedger(settings, context, ports) : Promise.resolve(undefined),
    bundleOf(context),
    startDatabase(settings, context, { port: ports.postgres, urls: databases }),
    settings.temporalAddress === undefined ? embeddedTemporal(settings, context, ports) : Promise.resolve(undefined),
  ] as const;
  try {
    const [embeddedLedger, bundle] = await Promise.all(parts);
    return { embeddedLedger, workflowBundle: bundle };
  } catch (error) {
    // What is downloaded meanwhile is there for the next start.
    await Promise.allSettled(parts);
    throw error;
  }
}

async function bundleOf({ environment }: StackContext): Promise<string> {
  return environment['WORKFLOW_BUNDLE'] || workflowBundle();
}

/** A database that is not embedded belongs to whom its URL names, who does everything. */
function databasesOf({ databaseUrl: given }: StackSettings, secrets: Secrets, port: number): DatabaseUrls {
  if (given !== undefined) return { owner: given, api: given, worker: given };
  return databaseUrls(databaseUrl(port, secrets.databasePassword, DATABASE), secrets);
}

/** Starts Postgres if it is embedded, and prepares the database for the processes. */
async function startDatabase(
  settings: StackSettings,
  context: StackContext,
  { port, urls }: { port: number; urls: DatabaseUrls },
): Promise<void> {
  if (settings.databaseUrl === undefined) await embeddedPostgres(settings, context, port);
  await prepareEmbeddedDatabase(urls.owner);
}

async function embeddedPostgres({ dataDir }: StackSettings, { supervisor, secrets }: StackContext, port: number) {
  const folder = join(dataDir, 'postgres');
  const maintenanceUrl = await startPostgres(supervisor, {
    folder,
    port,
    password: secrets.databasePassword,
    settings: { max_connections: MAX_CONNECTIONS },
  });
  await ensureRoles(maintenanceUrl, secrets);
  await ensureDatabase(maintenanceUrl, DATABASE);
}

async function embeddedTemporal({ dataDir }: StackSettings, { supervisor, log }: StackContext, ports: Ports) {
  const binary = await findTemporal(log);
  const databaseFile = join(dataDir, 'temporal.db');
  return startTemporal(supervisor, { binary, databaseFile, port: ports.temporal, uiPort: ports.temporalUi });
}

async function startLedger({ dataDir, blockMs }: StackSettings, { supervisor, secrets }: StackContext, ports: Ports) {
  const { operatorMnemonic } = secrets;
  const program = ledgerProgram({ folder: join(dataDir, 'ledger'), port: ports.ledger, operatorMnemonic, blockMs });
  const { url } = await supervisor.start(program).ready;
  return requireReported(url, 'ledger');
}
