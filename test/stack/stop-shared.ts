import { rm } from 'node:fs/promises';
import { recordHistories } from '../histories/record.ts';
import { refuseSecretsInLogs } from '../secrets/refuse-secrets.ts';
import { refuseMissingRights } from './refuse-missing-rights.ts';
import { run } from './run-state.ts';
import { namespaces, sharedStack } from './shared-stack.ts';

/** Stops what `startShared` started; keeps the logs if a test failed. Throws, and keeps them, if one holds a secret or names a missing right. */
export default async function stopShared(): Promise<void> {
  const release = process.env['RECORD_HISTORIES'];
  if (release !== undefined) await recordHistories(release, sharedStack().temporalAddress, namespaces);
  await run.supervisor?.stop();
  if (run.databases !== undefined) await rm(run.databases, { recursive: true, force: true });
  if (run.folder === undefined) return;
  await refuseSecretsInLogs(run.folder);
  await refuseMissingRights(run.folder);
  if (!run.hasFailed) await rm(run.folder, { recursive: true, force: true });
}
