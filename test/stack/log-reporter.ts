import { run } from './run-state.ts';

interface Results {
  readonly numFailedTests: number;
  readonly numRuntimeErrorTestSuites: number;
}

/** After a failure, prints where the logs of the run are; `test` in the folder of a stack names its test. */
export default class LogReporter {
  onRunComplete(_contexts: unknown, { numFailedTests, numRuntimeErrorTestSuites }: Results): void {
    run.hasFailed = numFailedTests + numRuntimeErrorTestSuites > 0;
    if (!run.hasFailed || run.folder === undefined) return;
    process.stderr.write(`\nLogs of this run: ${run.folder}/logs and ${run.folder}/stack-*/logs\n`);
  }
}
