/**
 * `npm run record:histories`: lives those lives of test/histories/lives that have no recorded history, and records it. A history is never recorded
 * again: workflows of a release may run for years. Runs that continue as new do so early, so that their histories are short.
 */
import { spawnSync } from 'node:child_process';

const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
const jest = [...flags, 'node_modules/jest/bin/jest.js', 'test/histories/record.test.ts'];

for (const variables of [
  { RECORD_HISTORIES: 'whole' },
  { RECORD_HISTORIES: 'continuing', EVENTS_BEFORE_CONTINUE_AS_NEW: '64' },
]) {
  const { status } = spawnSync(process.execPath, jest, { stdio: 'inherit', env: { ...process.env, ...variables } });
  process.exitCode ||= status ?? 1;
}
