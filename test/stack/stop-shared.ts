import { rm } from 'node:fs/promises';
import { run } from './run-state.ts';

/** Ends what `startShared` started; the logs stay when a test has failed. */
export default async function stopShared(): Promise<void> {
  await run.supervisor?.stop();
  if (run.folder !== undefined && !run.hasFailed) await rm(run.folder, { recursive: true, force: true });
}
