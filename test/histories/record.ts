import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { connectTemporal } from '../../src/temporal/connection.ts';
import {
  endOf,
  folder,
  type History,
  isBroken,
  isNextRun,
  pathsOf,
  readHistory,
  recordedNames,
  workflowTypeOf,
} from './recorded.ts';

interface Candidate {
  readonly text: string;
  readonly history: History;
  readonly paths: ReadonlySet<string>;
}

/** Adds the shortest histories of a server's workflows that take the paths which no recorded history takes. Nothing is overwritten. */
export async function recordHistories(release: string, address: string, namespaces: readonly string[]): Promise<void> {
  const known = new Set<string>();
  for (const name of await recordedNames()) for (const path of pathsOf(await readHistory(name))) known.add(path);
  const found: Candidate[] = [];
  for (const namespace of namespaces) found.push(...(await historiesOf(address, namespace)));
  await mkdir(join(folder, release), { recursive: true });
  const hashFile = join(folder, 'hashes.json');
  const hashes = JSON.parse(await readFile(hashFile, 'utf8')) as Record<string, string>;
  for (const { text, history, paths } of shortestOfAll(found, known)) {
    const name = unusedName(hashes, release, history, paths.difference(known));
    await writeFile(join(folder, name), text, { flag: 'wx' });
    hashes[name] = createHash('sha256').update(text).digest('hex');
    process.stdout.write(`recorded ${name}\n`);
  }
  await writeFile(hashFile, `${JSON.stringify(hashes, null, 2)}\n`);
}

async function historiesOf(address: string, namespace: string): Promise<Candidate[]> {
  const client = connectTemporal({ address, namespace, taskQueue: 'none' });
  const found: Candidate[] = [];
  for await (const { workflowId, runId, type } of client.workflow.list()) {
    if (type.startsWith('temporal-')) continue;
    const recorded = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    // Failures of activities name the files of this checkout.
    const history = JSON.parse(historyToJSON(recorded).replaceAll(`${process.cwd()}/`, '')) as History;
    if (!isBroken(history)) found.push({ text: `${JSON.stringify(history)}\n`, history, paths: pathsOf(history) });
  }
  await client.connection.close();
  return found;
}

/** Few short histories that take every new path: first those that add one, the short ones first, then without those that add none any more. */
function shortestOfAll(found: readonly Candidate[], known: ReadonlySet<string>): Candidate[] {
  let kept: Candidate[] = [];
  for (const candidate of found.toSorted((one, other) => one.text.length - other.text.length))
    if (addsTo(kept, candidate, known)) kept.push(candidate);
  for (const candidate of [...kept]) {
    const others = kept.filter((other) => other !== candidate);
    if (!addsTo(others, candidate, known)) kept = others;
  }
  return kept;
}

function addsTo(others: readonly Candidate[], { paths }: Candidate, known: ReadonlySet<string>): boolean {
  const taken = new Set([...known, ...others.flatMap((other) => [...other.paths])]);
  return !paths.isSubsetOf(taken);
}

/** Its type and end, with the newest path of it when a history of that name exists. */
function unusedName(
  names: Readonly<Record<string, string>>,
  release: string,
  history: History,
  added: ReadonlySet<string>,
) {
  const outcome = `${workflowTypeOf(history)}${isNextRun(history) ? '-next-run' : ''}-${endOf(history)}`;
  const [path = ''] = [...added].map((text) => text.split(' ').at(-1) ?? '');
  const all = [
    outcome,
    `${outcome}-${path}`,
    ...Array.from({ length: 9 }, (_, index) => `${outcome}-${path}-${index + 2}`),
  ];
  const free = all.map((name) => `${release}/${name}.json`).find((name) => !(name in names));
  if (free === undefined) throw new Error(`no name is left for ${outcome}`);
  return free;
}
