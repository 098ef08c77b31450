/**
 * Runs on whatever Node there is (20 or later) before `npm start` and `npm test`: installs the packages of the lock file
 * unless they are all there. What follows runs on the Node that is one of them.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

process.chdir(new URL('..', import.meta.url).pathname);

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
if (!isInstalled()) {
  process.stdout.write('Installing the packages of package-lock.json (once).\n');
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm'];
  const quietly = ['--no-audit', '--no-fund', '--loglevel=error'];
  await run([...npm, 'ci', '--include=dev', '--ignore-scripts', ...quietly]);
  const allowed = packagesWithAllowedScript();
  if (allowed.length > 0) await run([...npm, 'rebuild', '--ignore-scripts=false', ...quietly, ...allowed]);
}

/** Runs a command to its end; ends this process, too, when it fails. */
async function run([command, ...parameters]) {
  const child = spawn(command, parameters, { stdio: 'inherit' });
  const parent = process.ppid;
  const stop = () => child.kill('SIGTERM');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
  const watch = setInterval(() => process.ppid === parent || stop(), 500).unref();
  const code = await new Promise((resolve) => {
    child.on('exit', resolve).on('error', (error) => {
      process.stderr.write(`npm could not be run: ${error.message}\n`);
      resolve(1);
    });
  });
  clearInterval(watch);
  if (code !== 0) process.exit(code ?? 1);
}

/** The installed packages that may run a program of theirs when they are installed; no other may (scripts/check-packages.ts). */
function packagesWithAllowedScript() {
  const { allowScripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  return Object.keys(allowScripts).filter((name) => allowScripts[name] === true && existsSync(`node_modules/${name}`));
}

/** Whether what npm says it has installed is what the lock file asks for; optional packages may belong to another platform. */
function isInstalled() {
  if (!existsSync('node_modules/.bin/node') || !existsSync('node_modules/.package-lock.json')) return false;
  const wanted = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages;
  const present = JSON.parse(readFileSync('node_modules/.package-lock.json', 'utf8')).packages;
  return Object.entries(wanted).every(
    ([path, { version, optional, devOptional }]) =>
      path === '' || present[path]?.version === version || ((optional || devOptional) && !present[path]),
  );
}
