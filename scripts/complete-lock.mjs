/**
 * Adds what a registry without the binaries of other platforms leaves out of package-lock.json: without these entries
 * `npm ci` refuses the file. Run it after `npm install` when the check `packages` says so.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const systems = ['darwin', 'linux', 'win32', 'android', 'freebsd', 'openharmony'];
const cpus = ['arm64', 'x64', 'ia32', 'arm', 'ppc64', 's390x', 'riscv64', 'loong64'];

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
for (const owner of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(owner.optionalDependencies ?? {})) {
    lock.packages[`node_modules/${name}`] ??= entry(name, version, owner);
  }
}
const sorted = Object.entries(lock.packages).sort(([one], [other]) => one.localeCompare(other, 'en'));
writeFileSync('package-lock.json', `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`);

/** The platform is in the name of such a package, and its version is exact. */
function entry(name, version, owner) {
  const words = name.split(/[/-]/);
  const os = systems.find((system) => words.includes(system));
  const cpu = cpus.find((candidate) => words.includes(candidate));
  if (!os || !cpu || !/^\d/.test(version)) throw new Error(`${name}@${version}: the platform is not in the name`);
  const libc = words.some((word) => word.startsWith('musl')) ? 'musl' : 'glibc';
  return {
    version,
    cpu: [cpu],
    ...(owner.dev ? { dev: true } : {}),
    ...(os === 'linux' ? { libc: [libc] } : {}),
    license: owner.license,
    optional: true,
    os: [os],
  };
}
