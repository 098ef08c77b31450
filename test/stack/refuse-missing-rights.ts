import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const SHOWN = 20;

/**
 * Searches the logs of Postgres below a folder. Throws when a process of the service ran a statement that its role may not run, also
 * one whose error nobody saw: then src/platform/database/roles lacks a grant.
 */
export async function refuseMissingRights(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true });
  const found: string[] = [];
  for (const name of entries.filter((entry) => entry.endsWith('postgres.log'))) {
    const lines = (await readFile(join(folder, name), 'utf8')).split('\n');
    found.push(...lines.flatMap((line, at) => (line.includes('permission denied') ? lines.slice(at, at + 2) : [])));
  }
  if (found.length > 0) throw new Error(`statements without a grant:\n${found.slice(0, SHOWN).join('\n')}`);
}
