import { rm } from 'node:fs/promises';
import { refuseSecretsInLogs } from '../secrets/refuse-secrets.ts';
import { refuseMissingRights } from './refuse-missing-rights.ts';
import { refuseUnpublishedEvents } from './refuse-unpublished-events.ts';
import { run } from './run-state.ts';

/** What was asked of jest. */
interface Asked {
  readonly nonFlagArgs: readonly string[];
  readonly testNamePattern?: string;
  readonly onlyChanged: boolean;
  readonly shard?: object;
}

/**
 * Stops what `startShared` started; keeps the logs if a test failed. Throws, and keeps them, if one holds a secret or names a missing right,
 * and if events were not as published.
 */
export default async function stopShared(asked: Asked): Promise<void> {
  await run.supervisor?.stop();
  if (run.databases !== undefined) await rm(run.databases, { recursive: true, force: true });
  if (run.folder === undefined) return;
  await refuseSecretsInLogs(run.folder);
  await refuseMissingRights(run.folder);
  await refuseUnpublishedEvents(run.folder, { isWhole: !run.hasFailed && isWhole(asked) });
  if (!run.hasFailed) await rm(run.folder, { recursive: true, force: true });
}

function isWhole({ nonFlagArgs, testNamePattern = '', onlyChanged, shard }: Asked): boolean {
  const isOfEachLength = process.env['TEST_LENGTH'] === undefined;
  return isOfEachLength && nonFlagArgs.length === 0 && testNamePattern === '' && !onlyChanged && shard === undefined;
}
