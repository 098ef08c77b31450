/**
 * Runs on whatever Node there is (20 or later) before a command of package.json: installs what the command needs of the lock file unless it
 * is there. With `production` these are the packages that the stack runs on, which are far fewer; otherwise all. What follows runs on the
 * Node that is one of them.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const [major] = process.versions.node.split('.').map(Number);
if (major < 20) {
  process.stderr.write(`Node 20 or later is needed to begin; this is ${process.versions.node}.\n`);
  process.exit(1);
}
if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch)) {
  const here = `${process.platform}-${process.arch}`;
  process.stderr.write(
    `The hashes of all programs are known for Linux on x64 and arm64 only; this is ${here}. Use a Linux container.\n`,
  );
  process.exit(1);
}
/** It exists while packages are being installed: what an installation that was killed has left is installed anew. */
const UNFINISHED = '.cache/installation-unfinished';
const needsDev = process.argv[2] !== 'production';
const wanted = packagesOf('package-lock.json');
const present = existsSync('node_modules/.package-lock.json') ? packagesOf('node_modules/.package-lock.json') : {};
const isSound = existsSync('node_modules/.bin/node') && !existsSync(UNFINISHED);

if (!isSound || !areThere(({ dev }) => !dev)) {
  // It begins with none; a machine that had those for tests gets them again.
  const hasDev = Object.entries(present).some(([path, { dev }]) => dev && path.startsWith('node_modules/'));
  process.stdout.write('Installing the packages of package-lock.json (once).\n');
  await install(['ci', needsDev || hasDev ? '--include=dev' : '--omit=dev', '--ignore-scripts']);
} else if (needsDev && !areThere(() => true)) {
  process.stdout.write('Adding the packages of package-lock.json that tests and tools need (once).\n');
  // Not `ci`, which removes all packages first: the stack may run on them.
  await install(['install', '--no-save', '--include=dev', '--ignore-scripts']);
}

async function install(parameters) {
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm'];
  const quietly = ['--no-audit', '--no-fund', '--loglevel=error'];
  mkdirSync('.cache', { recursive: true });
  writeFileSync(UNFINISHED, '');
  const fetching = fetchTemporal();
  await run([...npm, ...parameters, ...quietly]);
  const allowed = packagesWithAllowedScript();
  if (allowed.length > 0) await run([...npm, 'rebuild', '--ignore-scripts=false', ...quietly, ...allowed]);
  // npm 10 installs the Node of this project, and does not link it.
  if (!existsSync('node_modules/.bin/node'))
    await run([...npm, 'rebuild', '--ignore-scripts', ...quietly, `node-linux-${process.arch}`]);
  rmSync(UNFINISHED);
  await fetching;
}

/** A Node that runs TypeScript as it is downloads Temporal meanwhile. With an older one, or if that fails, the start does so, and says why. */
async function fetchTemporal() {
  if (!process.features.typescript || process.env.TEMPORAL_ADDRESS) return;
  const script = ['--disable-warning=ExperimentalWarning', 'embedded/fetch-temporal.ts'];
  await codeOf([process.execPath, ...script], ['ignore', 'inherit', 'ignore']);
}

/** Runs a command to its end; ends this process, too, when it fails. */
async function run(command) {
  const code = await codeOf(command, 'inherit');
  if (code !== 0) process.exit(code ?? 1);
}

/** Runs a command to its end, and ends it with this process; returns its exit code. */
async function codeOf([command, ...parameters], stdio) {
  const child = spawn(command, parameters, { stdio });
  const parent = process.ppid;
  const stop = () => child.kill('SIGTERM');
  for (const end of ['SIGINT', 'SIGTERM', 'SIGHUP', 'exit']) process.on(end, stop);
  const watch = setInterval(() => process.ppid === parent || stop(), 500).unref();
  const code = await new Promise((resolve) => {
    child.on('exit', resolve).on('error', (error) => {
      process.stderr.write(`${command} could not be run: ${error.message}\n`);
      resolve(1);
    });
  });
  clearInterval(watch);
  return code;
}

/** The installed packages that may run a program of theirs when they are installed; no other may (scripts/check-packages.ts). */
function packagesWithAllowedScript() {
  const { allowScripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  return Object.keys(allowScripts).filter((name) => allowScripts[name] === true && existsSync(`node_modules/${name}`));
}

/** What a lock file lists, by the path of its folder; that in `node_modules` is npm's list of what it has installed. */
function packagesOf(lockFile) {
  return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
}

/** Whether those of the wanted packages are installed that `isMeant`; optional ones may belong to another platform. */
function areThere(isMeant) {
  return Object.entries(wanted).every(
    ([path, one]) =>
      path === '' ||
      !isMeant(one) ||
      present[path]?.version === one.version ||
      ((one.optional || one.devOptional) && !present[path]),
  );
}
