import { fileURLToPath } from 'node:url';
import { createDevelopmentApi } from '../../embedded/development-api.ts';
import { loadApiConfig } from '../../src/platform/config/api.ts';
import { apiProgram, type ServiceAddresses, workerProgram } from '../../embedded/services.ts';
import type { Program, Supervisor } from '../../embedded/supervisor.ts';
import { freePort } from '../../src/free-port.ts';
import { suspendTree } from './process-tree.ts';
import { testLog } from './test-log.ts';

export type Service = 'api' | 'second-api' | 'worker';

interface ServicesOptions {
  /** Started at once; the others by `restart`. */
  readonly services: readonly Service[];
  /** Whether the api is a process of its own, as the worker and a second api always are. */
  readonly apiProcess: boolean;
  /** For the statements that the processes send to Postgres, see `record-service-statements.ts`. */
  readonly statementsFolder: string;
}

interface RunningService {
  readonly url?: string;
  readonly metricsUrl?: string;
  /** Of the process that it is, if it is one. */
  readonly pid?: number;
  /** Resolves to how it ended. */
  stop(signal: NodeJS.Signals): Promise<string>;
}

/** Starts the services of a stack. An api in the test's own process closes on disposal; processes end with their supervisor. */
export async function startServices(
  supervisor: Supervisor,
  surroundings: ServiceAddresses,
  { services, apiProcess, statementsFolder }: ServicesOptions,
) {
  await using cleanup = new AsyncDisposableStack();
  const running = new Map<Service, RunningService>();
  // The api comes back at the same port, which nobody else on the machine is given while it is away.
  const ports: Record<Service, number> = { api: await freePort(), 'second-api': await freePort(), worker: 0 };
  const urls: Partial<Record<Service, string>> = {};
  const metrics: Partial<Record<Service, string>> = {};
  if (!apiProcess) cleanup.defer(() => stop('api', 'SIGTERM').then());

  async function start(service: Service): Promise<void> {
    const program = programOf(service, surroundings, ports[service]);
    const isProcess = service !== 'api' || apiProcess;
    const started = await (isProcess
      ? startProcess(supervisor, recorded(program, statementsFolder))
      : startApi(program));
    running.set(service, started);
    metrics[service] = started.metricsUrl ?? '';
    if (started.url === undefined) return;
    urls[service] = started.url;
    ports[service] = Number(new URL(started.url).port);
  }

  async function stop(service: Service, signal: NodeJS.Signals): Promise<string> {
    const stopped = running.get(service);
    running.delete(service);
    return (await stopped?.stop(signal)) ?? 'it did not run';
  }

  await Promise.all(services.map(start));
  const open = cleanup.move();
  return {
    apiUrl: (service: Extract<Service, 'api' | 'second-api'> = 'api') => urls[service] ?? '',
    /** Of the service as it runs now. */
    metricsUrl: (service: Service) => metrics[service] ?? '',
    kill: (service: Service, signal: NodeJS.Signals = 'SIGKILL') => stop(service, signal),
    suspend: async (service: Service, ms: number): Promise<void> => {
      const pid = running.get(service)?.pid;
      if (pid === undefined) throw new Error(`${service} is no process`);
      await suspendTree(pid, ms);
    },
    restart: async (service: Service): Promise<void> => {
      await stop(service, 'SIGTERM');
      await start(service);
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

function programOf(service: Service, surroundings: ServiceAddresses, port: number): Program {
  switch (service) {
    case 'worker':
      return workerProgram(surroundings, 0);
    case 'api':
    case 'second-api':
      return { ...apiProgram(surroundings, { api: port, metrics: 0 }), name: service };
  }
}

const recorder = fileURLToPath(new URL('record-service-statements.ts', import.meta.url));

function recorded(program: Program, folder: string): Program {
  return {
    ...program,
    args: ['--import', recorder, ...program.args],
    env: { ...program.env, STATEMENTS_FOLDER: folder },
  };
}

async function startProcess(supervisor: Supervisor, program: Program): Promise<RunningService> {
  const child = supervisor.start(program);
  return {
    ...(await child.ready),
    pid: child.pid,
    async stop(signal) {
      await child.stop(signal);
      return (await child.ended).how;
    },
  };
}

async function startApi({ env }: Program): Promise<RunningService> {
  const api = await createDevelopmentApi(loadApiConfig(env), testLog('api'));
  return {
    ...api,
    async stop(signal) {
      if (signal === 'SIGKILL') throw new Error('only an api that is a process can be killed: see `apiProcess`');
      await api.close();
      return 'closed';
    },
  };
}
