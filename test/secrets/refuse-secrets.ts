import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canaries } from './canaries.ts';
import { secretsIn } from './secrets-in.ts';

const SHOWN = 20;

/** Searches every log below a folder. Throws when one holds a secret; the error names its kind, file and line, not the secret. */
export async function refuseSecretsInLogs(folder: string, given: Readonly<Record<string, string>> = canaries) {
  const entries = await readdir(folder, { recursive: true });
  const found: string[] = [];
  for (const name of entries.filter((entry) => entry.endsWith('.log')))
    found.push(...(await leaksIn(join(folder, name), given)));
  if (found.length > 0) throw new Error(`secrets in logs:\n${found.slice(0, SHOWN).join('\n')}`);
}

async function leaksIn(file: string, given: Readonly<Record<string, string>>): Promise<string[]> {
  const lines = (await readFile(file, 'utf8')).split('\n');
  return lines.flatMap((line, at) => secretsIn(line, given).map((kind) => `${file}:${at + 1}: ${kind}`));
}
