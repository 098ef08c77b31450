import { fileURLToPath } from 'node:url';
import { apiVariables } from '../src/platform/config/api.ts';
import { workerVariables } from '../src/platform/config/worker.ts';
import { deriveKeys } from '../src/cardano/keys/keys.ts';
import { baseEnvironment } from '../src/platform/config/environment.ts';
import type { DatabaseUrls } from './databases.ts';
import type { Secrets } from './secrets.ts';
import type { Program } from './supervisor.ts';

interface LedgerPart {
  readonly folder: string;
  readonly port: number;
  readonly operatorMnemonic: string;
  /** Milliseconds between two blocks; 0 makes blocks only on request. */
  readonly blockMs: number;
}

/** The addresses and secrets that the API and the worker are started with. */
export interface ServiceAddresses {
  readonly databaseUrls: Pick<DatabaseUrls, 'api' | 'worker'>;
  readonly temporalAddress: string;
  readonly temporalNamespace: string;
  /** Root URL of the embedded ledger; null before it has one, undefined when another ledger is used. */
  readonly embeddedLedger: string | null | undefined;
  readonly secrets: Secrets;
  /** The caller's own variables for the service; they override the embedded defaults. */
  readonly chosen: NodeJS.ProcessEnv;
}

/** What is known only once the other parts have started. */
export interface StartedParts {
  /** Root URL; undefined when another ledger is used. */
  readonly embeddedLedger: string | undefined;
  /** A file. */
  readonly workflowBundle: string;
}

/** The operator's funds on a new embedded ledger: enough outputs that no transaction waits for change. */
const operatorFunds = { lovelace: '10000000000', count: 100 };
/** Saves a third of every later start: type stripping and compilation happen once. */
const compileCache = pathOf('.cache/compiled');
/** Half of the young generation of each thread, which is 16 MB by default: all parts share one machine, and the worker never rests. */
const semiSpaceMb = (name: string): number => (name === 'worker' ? 2 : 8);
/** Created for the data folder, or already part of the database's URL. */
const ownSecrets = ['OPERATOR_MNEMONIC', 'BOOTSTRAP_ADMIN_KEY', 'DATABASE_PASSWORD', 'ENCRYPTION_KEY'];

/** The embedded ledger, with funds for the operator on its first start. */
export function ledgerProgram({ folder, port, operatorMnemonic, blockMs }: LedgerPart): Program {
  const { address } = deriveKeys(operatorMnemonic, 0).operator;
  return nodeProgram('ledger', 'embedded/ledger/main.ts', {
    ...baseEnvironment(),
    LEDGER_PORT: String(port),
    LEDGER_DATA_DIR: folder,
    LEDGER_BLOCK_MS: String(blockMs),
    LEDGER_GENESIS: JSON.stringify([{ address, ...operatorFunds }]),
  });
}

/** The worker: the only process that receives the mnemonic. */
export function workerProgram(surroundings: ServiceAddresses, metricsPort: number): Program {
  return nodeProgram('worker', 'worker/main.ts', {
    ...serviceEnvironment(surroundings, workerVariables),
    DATABASE_URL: surroundings.databaseUrls.worker,
    METRICS_PORT: String(metricsPort),
    OPERATOR_MNEMONIC: surroundings.chosen['OPERATOR_MNEMONIC'] ?? surroundings.secrets.operatorMnemonic,
  });
}

/** The api, with the development endpoints where the ledger is embedded. */
export function apiProgram(surroundings: ServiceAddresses, ports: { api: number; metrics: number }): Program {
  const main = surroundings.embeddedLedger === undefined ? 'src/main.ts' : 'embedded/api.ts';
  return nodeProgram('api', main, {
    ...serviceEnvironment(surroundings, apiVariables),
    DATABASE_URL: surroundings.databaseUrls.api,
    PORT: String(ports.api),
    METRICS_PORT: String(ports.metrics),
    ENCRYPTION_KEY: surroundings.chosen['ENCRYPTION_KEY'] ?? surroundings.secrets.encryptionKey,
    BOOTSTRAP_ADMIN_KEY: surroundings.secrets.adminKey,
  });
}

/** Only what the service reads: the terminal that starts it may have secrets of other programs. */
function serviceEnvironment(surroundings: ServiceAddresses, { shape }: { readonly shape: object }): NodeJS.ProcessEnv {
  const { temporalAddress, temporalNamespace, embeddedLedger, chosen } = surroundings;
  const defaults = {
    DEFAULT_WALLET_ROLES: 'VAULT_CREATOR',
    NETWORK: 'preview',
    SHUTDOWN_GRACE_SECONDS: '3',
    CORS_ORIGINS: 'http://localhost:*,http://127.0.0.1:*',
    TEMPORAL_NAMESPACE: temporalNamespace,
    ...(embeddedLedger === undefined ? {} : embeddedLedgerEnvironment(embeddedLedger)),
  };
  const given = Object.entries({ ...defaults, ...withValues(chosen) }).filter(
    ([name]) => name in shape && !ownSecrets.includes(name),
  );
  return {
    ...baseEnvironment(),
    ...Object.fromEntries(given),
    // The keys of a data folder are keys of this environment.
    ENVIRONMENT: 'development',
    TEMPORAL_ADDRESS: temporalAddress,
  };
}

function withValues(variables: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
}

function embeddedLedgerEnvironment(root: string | null): NodeJS.ProcessEnv {
  return { LEDGER_EMBEDDED: 'true', CLOCK_OFFSET: 'database', ...(root !== null && ledgerUrls(root)) };
}

function ledgerUrls(root: string): NodeJS.ProcessEnv {
  return { LEDGER_URL: `${root}/api/v0`, PRICE_FEED_URL: `${root}/prices` };
}

/** The program loads `modules` (a path of the project) at once, if any, and runs when all that it needs has started. */
export function loadedEarly(program: Program, modules: string, started: Promise<StartedParts>): Program {
  return {
    ...program,
    args: ['--import', pathOf('embedded/load-early.ts'), ...program.args],
    env: { ...program.env, LOADED_EARLY: pathOf(modules) },
    laterEnv: started.then(({ embeddedLedger, workflowBundle }) => ({
      ...(embeddedLedger !== undefined && ledgerUrls(embeddedLedger)),
      WORKFLOW_BUNDLE: workflowBundle,
    })),
  };
}

function pathOf(file: string): string {
  return fileURLToPath(new URL(`../${file}`, import.meta.url));
}

function nodeProgram(name: string, main: string, env: NodeJS.ProcessEnv): Program {
  return {
    name,
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', `--max-semi-space-size=${semiSpaceMb(name)}`, pathOf(main)],
    env: { ...env, MALLOC_ARENA_MAX: '2', NODE_COMPILE_CACHE: compileCache },
  };
}
