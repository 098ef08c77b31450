/** `npm start`: the whole stack on this machine, until Ctrl-C or SIGTERM. */
import { access, constants, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { isRunning } from './process-life.ts';
import { withSecretFiles } from '../src/platform/config/environment.ts';
import { loadOrCreateSecrets } from './secrets.ts';
import { readSettings } from './settings.ts';
import { type StackAddresses, startStack } from './stack.ts';
import { exitReport, startSupervisor, type Supervisor } from './supervisor.ts';

/** In the Temporal UI. */
const VAULT_LIST = '/namespaces/default/workflows?query=WorkflowType%3D%22vault%22';

const print = (line: string) => process.stdout.write(`${line}\n`);

try {
  await run(withSecretFiles(process.env));
} catch (error) {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
process.exit();

async function run(environment: NodeJS.ProcessEnv): Promise<void> {
  const settings = readSettings(environment);
  const began = performance.now();
  await requireWritable(settings.dataDir);
  const supervisor = await lockDataFolder(settings.dataDir);
  const stackFile = join(settings.dataDir, 'stack.json');
  const asked = stopRequested();
  try {
    const secrets = await loadOrCreateSecrets(settings.dataDir);
    const starting = startStack(settings, { supervisor, secrets, environment, log: print });
    const addresses = await Promise.race([starting, crash(supervisor), asked]);
    if (typeof addresses === 'string') return;
    await writeFile(stackFile, `${JSON.stringify(addresses, null, 2)}\n`, { mode: 0o600 });
    print(welcome(addresses, relative('.', settings.dataDir) || settings.dataDir, performance.now() - began));
    await Promise.race([crash(supervisor), asked]);
  } finally {
    print('Stopping…');
    await rm(stackFile, { force: true });
    await supervisor.stop();
  }
}

async function requireWritable(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${folder} cannot be used for data (${why}). Set DATA_DIR to your own folder.`, { cause });
  }
}

/** The supervisor of a data folder; waits until the children of a killed start have ended. */
async function lockDataFolder(dataDir: string): Promise<Supervisor> {
  const pidFile = join(dataDir, 'supervisor.pid');
  const other = Number(await readFile(pidFile, 'utf8').catch(() => '0'));
  const waitMs = other > 0 && isRunning(other) ? 0 : 30_000;
  const supervisor = await startSupervisor(dataDir, waitMs);
  if (!supervisor) {
    const advice = 'Stop it first, or set DATA_DIR to another folder.';
    throw new Error(`The data folder ${dataDir} is in use by another start (process ${other}). ${advice}`);
  }
  await writeFile(pidFile, String(process.pid));
  return supervisor;
}

async function crash(supervisor: Supervisor): Promise<never> {
  const { name, how } = await supervisor.crashed;
  throw new Error(await exitReport(name, how, supervisor.logFile(name)));
}

/** Resolves on Ctrl-C, SIGTERM or a closed terminal, and when the npm that started us is gone. */
function stopRequested(): Promise<'stop'> {
  return new Promise((resolve) => {
    const stop = () => {
      resolve('stop');
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
    const parent = process.ppid;
    if (process.env['npm_lifecycle_event'] === undefined) return;
    setInterval(() => {
      if (process.ppid !== parent) stop();
    }, 500).unref();
  });
}

function welcome(addresses: StackAddresses, dataDir: string, tookMs: number): string {
  const { apiUrl, docsUrl, temporalUiUrl, temporalAddress, databaseUrl, ledgerUrl, adminKey, frontendKey } = addresses;
  const lines = [
    ['API', `${apiUrl}/api/v1`],
    ['API docs', docsUrl],
    ['Temporal UI', temporalUiUrl],
    ['Vaults there', temporalUiUrl && `${temporalUiUrl}${VAULT_LIST} (open one, then its tab User Metadata)`],
    ['Temporal', temporalAddress],
    ['Postgres', new URL(databaseUrl).host],
    ['Ledger', ledgerUrl],
    ['Metrics', `${addresses.metricsUrl} (api), ${addresses.workerMetricsUrl} (worker)`],
    ['Admin key', adminKey],
    ['Frontend key', frontendKey],
  ] as const;
  const known = lines.flatMap(([name, text]) => (text === null ? [] : [`  ${name.padEnd(12)} ${text}`]));
  const title = `The vault tokenization service is ready (${(tookMs / 1000).toFixed(1)} s).`;
  return `\n${title}\n${known.join('\n')}\nPress Ctrl-C to stop. Your data is kept in ${dataDir}.`;
}
