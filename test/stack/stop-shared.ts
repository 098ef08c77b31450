import { rm } from 'node:fs/promises';
import { run } from './run-state.ts';

/** Stops what `startShared` started; keeps the logs if a test failed. */
export default async function stopShared(): Promise<void> {
  await run.supervisor?.stop();
  if (run.folder !== undefined && !run.hasFailed) await rm(run.folder, { recursive: true, force: true });
}
