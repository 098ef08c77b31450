import { execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Secrets } from '../../embedded/secrets.ts';
import type { StackAddresses } from '../../embedded/stack.ts';
import { checkedFetch } from '../contract/checked-fetch.ts';
import type { PublishedDocument } from '../contract/published-document.ts';
import { refuseSecretsInLogs } from '../secrets/refuse-secrets.ts';
import { apiClient } from '../stack/api-client.ts';
import { until } from '../stack/until.ts';

const anyPort = {
  PORT: '0',
  METRICS_PORT: '0',
  TEMPORAL_PORT: '0',
  TEMPORAL_UI_PORT: '0',
  POSTGRES_PORT: '0',
  LEDGER_PORT: '0',
};

/** A data folder for `npm start`. At the end its logs are searched for its secrets, and it is removed. */
export async function dataFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'vault-start-'));
  await chmod(path, 0o755);
  return {
    path,
    async [Symbol.asyncDispose]() {
      const file = join(path, 'secrets.json');
      const secrets = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Secrets) : undefined;
      await refuseSecretsInLogs(path, secrets);
      await rm(path, { recursive: true, force: true });
    },
  };
}

export type Started = ReturnType<typeof npmStart>;

/** A workflow bundle for `WORKFLOW_BUNDLE`, in a file in this folder. */
export async function bundledWorkflows(folder: string): Promise<string> {
  const file = join(folder, 'workflows.cjs');
  const bundler = fileURLToPath(new URL('../../worker/bundle.ts', import.meta.url));
  await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', bundler, file]);
  return file;
}

/** Clients of a started service, for paths from the root and from /api/v1; responses are checked against what it publishes itself. */
export function clientsOf({ apiUrl, adminKey }: StackAddresses) {
  let document: Promise<{ body: PublishedDocument }> | undefined;
  const published = async () => (await (document ??= apiClient(() => apiUrl, null).get('/openapi.json'))).body;
  const request = checkedFetch(published);
  return {
    root: apiClient(() => apiUrl, adminKey, request),
    api: apiClient(() => `${apiUrl}/api/v1`, adminKey, request),
  };
}

/** Runs the real `npm start`, as at a terminal, of this checkout or of another one. */
export function npmStart(dataDir: string, environment: Readonly<Record<string, string>> = {}, checkout = '.') {
  const { OPERATOR_MNEMONIC: _, ...inherited } = process.env;
  const child = spawn('npm', ['start'], {
    cwd: checkout,
    env: { ...inherited, ...anyPort, DATA_DIR: dataDir, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  // Not at 'exit': the last output may still be in the pipe then.
  const exit = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('close', (code, signal) => {
      resolve(code ?? signal ?? 'SIGKILL');
    });
  });
  const file = join(dataDir, 'stack.json');
  return {
    pid: child.pid ?? 0,
    exit,
    output: () => output,
    /** Waits for stack.json; fails with what was printed when the start ends before. */
    async ready(deadlineMs = 180_000): Promise<StackAddresses> {
      const ended = exit.then((how) => Promise.reject(new Error(`npm start ended (${how}):\n${output}`)));
      await Promise.race([
        until(() => existsSync(file) && output.includes('Ctrl-C'), { what: 'stack.json', deadlineMs }),
        ended,
      ]);
      return JSON.parse(readFileSync(file, 'utf8')) as StackAddresses;
    },
    async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | NodeJS.Signals> {
      child.kill(signal);
      return exit;
    },
  };
}
