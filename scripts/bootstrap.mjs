/**
 * Runs on whatever Node there is (20 or later) before a command of package.json: installs what the command needs of the lock file unless it
 * is there. With `production` these are the packages that the stack runs on, which are far fewer; otherwise all. What follows runs on the
 * Node that is one of them.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
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
/** It has the id of the process that installs packages. What an installation that was killed has left is installed anew. */
const UNFINISHED = '.cache/installation-unfinished';
/** npm undoes what it has done so far before it ends, which can take a minute and is not needed. */
const PATIENCE_MS = 2000;
const needsDev = process.argv[2] !== 'production';
const wanted = packagesOf('package-lock.json');

for (let isTold = false; ; isTold = true) {
  if (installer() === null) {
    const installation = missing();
    if (installation === null) break;
    if (await begin()) {
      await install(installation);
      break;
    }
  }
  if (!isTold) process.stdout.write('Another command is installing packages; this one waits until it has ended.\n');
  await pause(500);
}

/** What to tell and how to call npm, if packages are missing. */
function missing() {
  const present = existsSync('node_modules/.package-lock.json') ? packagesOf('node_modules/.package-lock.json') : {};
  const areThere = (isMeant) => Object.entries(wanted).every((entry) => isThere(entry, isMeant, present));
  if (!existsSync('node_modules/.bin/node') || existsSync(UNFINISHED) || !areThere(({ dev }) => !dev)) {
    // It begins with none; a machine that had those for tests gets them again.
    const hasDev = Object.entries(present).some(([path, { dev }]) => dev && path.startsWith('node_modules/'));
    const parameters = ['ci', needsDev || hasDev ? '--include=dev' : '--omit=dev', '--ignore-scripts'];
    return { what: 'Installing the packages of package-lock.json (once).', parameters };
  }
  if (!needsDev || areThere(() => true)) return null;
  // Not `ci`, which removes all packages first: the stack may run on them.
  const parameters = ['install', '--no-save', '--include=dev', '--ignore-scripts'];
  return { what: 'Adding the packages of package-lock.json that tests and tools need (once).', parameters };
}

/** The id of another process that installs packages here now. */
function installer() {
  try {
    const id = readFileSync(UNFINISHED, 'utf8');
    if (id === '' || id === String(process.pid)) return null;
    return readFileSync(`/proc/${id}/cmdline`, 'utf8').includes('bootstrap.mjs') ? id : null;
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes(error.code)) return null;
    throw error;
  }
}

/** Whether this process may install: of several that begin at once the last does. */
async function begin() {
  mkdirSync('.cache', { recursive: true });
  writeFileSync(UNFINISHED, String(process.pid));
  await pause(100);
  return installer() === null;
}

async function install({ what, parameters }) {
  process.stdout.write(`${what}\n`);
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm'];
  const quietly = ['--no-audit', '--no-fund', '--loglevel=error'];
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
  const stop = () => {
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS).unref();
  };
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

/** Whether a wanted package is installed, if it `isMeant`; an optional one may belong to another platform. */
function isThere([path, one], isMeant, present) {
  const isOptional = one.optional || one.devOptional;
  return path === '' || !isMeant(one) || present[path]?.version === one.version || (isOptional && !present[path]);
}
