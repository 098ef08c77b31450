/** Runs before a command of package.json, on Node 20 or later: installs the packages that it lacks (`production`: none of tests). */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
process.on('uncaughtException', ({ message }) => process.exit(console.error(message) ?? 1));
const { arch, pid, platform, versions } = process;
if (Number.parseInt(versions.node) < 20 || platform !== 'linux' || !['x64', 'arm64'].includes(arch))
  throw new Error(`This is Node ${versions.node} on ${platform}-${arch}. Use Node 20 or later on Linux, x64 or arm64.`);
const [NODE, LIST, LOCK] = ['node_modules/.bin/node', 'node_modules/.package-lock.json', '.cache/installing'];
const withTests = process.argv[2] !== 'production';
if (lacksPackages() || !existsSync(NODE)) {
  mkdirSync('.cache', { recursive: true });
  for (let tries = 0; !takeLock(); tries += 1, await pause(500))
    if (tries === 1) console.log('Waiting for another command that installs packages…');
  if (lacksPackages()) process.exitCode = await install();
  if (!process.exitCode && !existsSync(NODE)) symlinkSync(`../node-linux-${arch}/bin/node`, NODE); // npm 10 does not
  rmSync(LOCK);
}

function lacksPackages() {
  if (!existsSync(LIST) || !readFileSync(LIST, 'utf8').endsWith('\n}\n')) return true; // npm has not ended
  const [wanted, found] = ['package-lock.json', LIST].map((file) => JSON.parse(readFileSync(file, 'utf8')).packages);
  return Object.entries(wanted).some(([path, { version, dev, optional, devOptional, link, os, cpu, libc }]) => {
    if (path === '' || link || (dev && !withTests)) return false;
    const isForHere = os?.includes(platform) && cpu?.includes(arch) && !libc?.includes('musl');
    return found[path] ? found[path].version !== version : isForHere || !(optional || devOptional);
  });
}

function takeLock() {
  try {
    return symlinkSync(`/proc/${pid}`, LOCK) ?? true; // if this process is killed, it leads nowhere
  } catch {
    const isHeld = existsSync(LOCK) && readFileSync(`${LOCK}/cmdline`, 'utf8').includes('bootstrap.mjs');
    return isHeld ? false : rmSync(LOCK, { force: true });
  }
}

async function install() {
  console.log('Installing packages (once)…');
  const list = existsSync(LIST) && readFileSync(LIST);
  rmSync(list ? LIST : 'node_modules', { recursive: true, force: true }); // without its list, nothing there counts
  const packages = withTests || existsSync('node_modules/jest') ? '--include=dev' : '--omit=dev';
  const npm = spawn('npm', ['install', '--no-save', packages, '--loglevel=error'], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => npm.kill('SIGKILL'));
  const code = await new Promise((resolve) => npm.on('exit', resolve));
  if (code && list) writeFileSync(LIST, list); // npm has undone what it had added
  return code ?? 1;
}
