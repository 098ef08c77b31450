import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { startLedger } from '../../embedded/ledger/server.ts';
import { databaseUrls } from '../../embedded/databases.ts';
import type { ServiceAddresses } from '../../embedded/services.ts';
import { startSupervisor, type Supervisor } from '../../embedded/supervisor.ts';
import { deriveKeys } from '../../src/cardano/keys/keys.ts';
import { connectTemporal } from '../../src/platform/temporal/connection.ts';
import { checkedFetch } from '../contract/checked-fetch.ts';
import { canaries } from '../secrets/canaries.ts';
import { apiClient } from './api-client.ts';
import { ledgerClient } from './ledger-client.ts';
import { lyingLedger } from './lying-ledger.ts';
import { sharedStack, templateWithKeys } from './shared-stack.ts';
import { sharedDocument } from './shared-document.ts';
import { type Service, startServices } from './stack-services.ts';
import { openPool, testDatabase, unusedNamespace } from './test-database.ts';

export interface StackOptions {
  /** Time between two blocks; 0 makes blocks only when asked for. */
  readonly blockMs?: number;
  /** Variables of src/platform/config for the api and the worker. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What the operator has on the ledger, other than the usual many outputs. */
  readonly operatorFunds?: { readonly lovelace: bigint; readonly count: number };
  /** Instead of the shared servers, for a test that stops them. */
  readonly servers?: {
    readonly databaseUrl?: string;
    readonly temporal?: { readonly address: string; readonly namespace: string };
  };
  /** Whether api and worker reach the ledger through one that lies when it is told to. */
  readonly lyingLedger?: boolean;
  /** Started at once; the others by `restart`. */
  readonly services?: readonly Service[];
  /** Whether the api is a process of its own, which a test can kill: that takes 3 s of CPU more. */
  readonly apiProcess?: boolean;
}

export type TestStack = Awaited<ReturnType<typeof testStack>>;

/** Rate limits are the specification's unless a test is about something else. */
const testEnvironment = {
  LOG_LEVEL: 'info',
  RATE_LIMIT_DEFAULT: '1000000',
  RATE_LIMIT_ADMIN: '1000000',
  // Tests change rows behind the service, which then says nothing of it.
  RESPONSE_CACHE_MS: '0',
  LEDGER_PROJECT_ID: canaries.ledgerProjectId,
};

/** The operator's funds on a new ledger: enough outputs that no transaction waits for change. */
const manyOutputs = { lovelace: 10_000_000_000n, count: 100 };

/** A whole service for one test: a database, a ledger and a Temporal namespace that nobody else uses, and the worker as a process. */
export async function testStack(options: StackOptions = {}) {
  const { blockMs = 200, operatorFunds = manyOutputs, services = ['worker', 'api'], apiProcess = false } = options;
  const shared = sharedStack();
  await using cleanup = new AsyncDisposableStack();
  const { number, sql, databaseUrl, temporal } = await serversOf(cleanup, options.servers);
  const folder = join(shared.folder, `stack-${number}`);
  const { currentTestName, testPath } = expect.getState();
  await mkdir(folder);
  await writeFile(join(folder, 'test'), `${testPath ?? ''}\n${currentTestName ?? ''}\n`);

  const { address } = deriveKeys(canaries.operatorMnemonic, 0).operator;
  const fundings = [{ address, ...operatorFunds }];
  const { url: ledgerUrl } = cleanup.use(await startLedger({ blockMs, restAfter: restAfter(options), fundings }));
  const liar = cleanup.use(await lyingLedger(ledgerUrl));
  const supervisor = await startSupervisor(folder);
  if (!supervisor) throw new Error(`${folder} is not ours`);
  cleanup.defer(() => supervisor.stop());
  reportCrash(supervisor);
  const surroundings: ServiceAddresses = {
    databaseUrls: databaseUrls(databaseUrl, canaries),
    temporalAddress: temporal.address,
    temporalNamespace: temporal.namespace,
    embeddedLedger: ledgerUrl,
    secrets: canaries,
    chosen: {
      ...testEnvironment,
      WORKFLOW_BUNDLE: shared.workflowBundle,
      ...environmentOf(options, liar.url),
    },
  };
  const statementsFolder = join(folder, 'statements');
  const running = cleanup.use(
    await startServices(supervisor, surroundings, { services, apiProcess, statementsFolder }),
  );

  const open = cleanup.move();
  const request = checkedFetch(sharedDocument);
  return {
    /** Calls below /api/v1 with the ADMIN key. */
    api: apiClient(() => `${running.apiUrl()}/api/v1`, canaries.adminKey, request),
    /** Calls of what is not below /api/v1: /health, /dev, /openapi.json. */
    root: apiClient(() => running.apiUrl(), canaries.adminKey, request),
    ledger: ledgerClient(ledgerUrl),
    /** The ledger in front of the real one, see the option `lyingLedger`. */
    liar,
    sql,
    adminKey: canaries.adminKey,
    /** The owner's; each process has its own. */
    databaseUrl,
    temporal,
    /** Where the processes of the service record their statements, for `recordedIn`. */
    statementsFolder,
    logFile: (name: Service) => supervisor.logFile(name),
    apiUrl: running.apiUrl,
    metricsUrl: running.metricsUrl,
    /** Ends a service, by SIGKILL unless told otherwise, waits until it is gone and answers how it ended. */
    kill: running.kill,
    /** Stops a service's process for some milliseconds, by SIGSTOP and SIGCONT. */
    suspend: running.suspend,
    /** Ends a service in peace if it runs, and starts it again, the api on the same port. */
    restart: running.restart,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** What is on the ledger becomes final fast; each later block only costs the follower. */
function restAfter({ environment }: StackOptions): number {
  return Number(environment?.['CONFIRMATION_DEPTH'] ?? 3) + 1;
}

type Servers = NonNullable<StackOptions['servers']>;

function environmentOf({ lyingLedger: isLying, environment }: StackOptions, liarUrl: string) {
  return { ...(isLying === true && { LEDGER_URL: `${liarUrl}/api/v0` }), ...environment };
}

/** Whoever brings a server of its own gets connections to that; the number is the stack's in any case. */
async function serversOf(cleanup: AsyncDisposableStack, { databaseUrl, temporal }: Servers = {}) {
  const { number, url, sql } = cleanup.use(await testDatabase(templateWithKeys));
  const own = databaseUrl === undefined ? null : cleanup.adopt(openPool(databaseUrl, 4), (pool) => pool.end());
  return {
    number,
    sql: own ?? sql,
    databaseUrl: databaseUrl ?? url,
    temporal: temporal ?? (await sharedTemporal(cleanup)),
  };
}

/** A namespace of the shared server in which nothing is started any more once the stack has ended: that would cost the whole run. */
async function sharedTemporal(cleanup: AsyncDisposableStack) {
  const temporal = { address: sharedStack().temporalAddress, namespace: await unusedNamespace() };
  cleanup.defer(async () => {
    const { connection, schedule } = connectTemporal({ ...temporal, taskQueue: 'none' });
    // There is none when no worker was started.
    await schedule
      .getHandle('sweep')
      .delete()
      .catch(() => undefined);
    await connection.close();
  });
  return temporal;
}

function reportCrash(supervisor: Supervisor): void {
  void supervisor.crashed.then(({ name, how }) => {
    process.stderr.write(`${name} ended unexpectedly (${how}), see ${supervisor.logFile(name)}\n`);
  });
}
