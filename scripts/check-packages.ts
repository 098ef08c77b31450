import { readFile } from 'node:fs/promises';

interface LockFile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}
interface LockedPackage {
  readonly version: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
  readonly link?: boolean;
}

/** Defects of installed packages that npm does not report. */
export async function checkPackages(): Promise<{ ok: boolean; output: string }> {
  const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8')) as LockFile;
  const { allowScripts } = JSON.parse(await readFile('package.json', 'utf8')) as { allowScripts: AllowedScripts };
  const problems = [
    ...protobufProblems(packages),
    ...platformProblems(packages),
    ...unpinnedPackages(packages),
    ...undecidedScripts(packages, allowScripts),
  ];
  return { ok: problems.length === 0, output: problems.join('\n') };
}

/** With several protobufjs, or a 7 at the top, Temporal's replay of recorded histories fails with "type must be a Type". */
function protobufProblems(packages: LockFile['packages']): string[] {
  const top = packages['node_modules/protobufjs']?.version ?? 'missing';
  const nested = Object.keys(packages).filter((path) => /@temporalio\/[^/]+\/node_modules\/protobufjs$/.test(path));
  return [
    ...(top.startsWith('8.') ? [] : [`protobufjs at the top is ${top}, not 8`]),
    ...nested.map((path) => `${path} is a protobufjs of its own`),
  ];
}

/** With `node_modules`, npm leaves out what is not installed. */
const COMPLETE = 'run npm install --package-lock-only in a copy without node_modules';

/** `npm ci` refuses a lock file that lacks the binaries of other platforms. */
function platformProblems(packages: LockFile['packages']): string[] {
  const wanted = Object.values(packages).flatMap((owner) => Object.keys(owner.optionalDependencies ?? {}));
  const paths = Object.keys(packages);
  const missing = wanted.filter((name) => !paths.some((path) => path.endsWith(`node_modules/${name}`)));
  return missing.map((name) => `package-lock.json lacks ${name}: ${COMPLETE}`);
}

/** Every package, of other systems too, is pinned by its hash; a folder of this project has none. */
export function unpinnedPackages(packages: LockFile['packages']): string[] {
  const unpinned = Object.entries(packages).filter(
    ([path, { link, integrity }]) => path.includes('node_modules/') && link !== true && !integrity,
  );
  return unpinned.map(([path]) => `package-lock.json has no hash of ${path}`);
}

/** Whether a package may run a program of its own when it is installed. */
type AllowedScripts = Readonly<Record<string, boolean>>;

/** A package with an install script runs as whoever installs it: each is named in `allowScripts` of package.json, allowed or not. */
export function undecidedScripts(packages: LockFile['packages'], allowed: AllowedScripts): string[] {
  const withScript = Object.entries(packages).flatMap(([path, { hasInstallScript }]) =>
    hasInstallScript === true ? [path.replace(/^.*node_modules\//, '')] : [],
  );
  const [decided, existing] = [new Set(Object.keys(allowed)), new Set(withScript)];
  return [
    ...[...existing.difference(decided)].map((name) => `allowScripts of package.json does not decide about ${name}`),
    ...[...decided.difference(existing)].map((name) => `allowScripts names ${name}, which has no install script`),
  ];
}
