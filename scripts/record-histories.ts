/**
 * `npm run record:histories -- <release> <tests>`: runs tests and records, in a folder of the release, the histories of their workflows that
 * take paths which no recorded history takes. Those that were recorded before stay as they are: workflows of them may run for years.
 */
import { spawnSync } from 'node:child_process';

const [release, ...tests] = process.argv.slice(2);
if (release === undefined || !/^[\w.-]+$/.test(release) || tests.length === 0)
  throw new Error('usage: npm run record:histories -- <release> <tests>');
const jest = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
const environment = { ...process.env, RECORD_HISTORIES: release };
process.exitCode = spawnSync(process.execPath, [...jest, ...tests], { stdio: 'inherit', env: environment }).status ?? 1;
