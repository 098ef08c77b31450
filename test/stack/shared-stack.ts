/** What all stacks of one test run share. Passed from jest's main process to its workers through the environment. */
export interface SharedStack {
  /** Folder of this run: one folder per stack below it. */
  readonly folder: string;
  /** Postgres' maintenance database. */
  readonly maintenanceUrl: string;
  readonly temporalAddress: string;
  /** File with the bundled workflows. */
  readonly workflowBundle: string;
  /** File with the OpenAPI document of the service and its development endpoints. */
  readonly openApiFile: string;
}

const variable = 'SHARED_STACK';
export const templateDatabase = 'template_vaults';
/** The same with published vault keys, which cost a worker 0.2 s of CPU to derive. */
export const templateWithKeys = 'template_vaults_with_keys';
/** For every service that runs without a worker: its workflows have unique ids and never take a step. */
export const namespaceWithoutWorker = 'test-without-worker';
/** Registered when the server starts, each used by one stack. Every namespace costs the server CPU time as long as it runs. */
export const namespaceOf = (number: number) => `test-${number}`;
export const namespaces = [
  namespaceWithoutWorker,
  ...Array.from({ length: 160 }, (_, index) => namespaceOf(index + 1)),
];

/**
 * The server suggests to continue as new from here on, at an eighth of its usual 4,096 events: a long history is slow to make. Fewer make
 * short runs, of which short histories are recorded.
 */
export const eventsBeforeContinueAsNew = Number(process.env['EVENTS_BEFORE_CONTINUE_AS_NEW'] ?? 512);

export function publishSharedStack(shared: SharedStack): void {
  process.env[variable] = JSON.stringify(shared);
}

export function sharedStack(): SharedStack {
  const text = process.env[variable];
  if (text === undefined)
    throw new Error('this test is in a folder that runs without the shared stack, see jest.config.js');
  return JSON.parse(text) as SharedStack;
}
