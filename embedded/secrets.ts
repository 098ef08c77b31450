import { randomBytes, randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { z } from 'zod';
import { formatApiKey } from '../src/access/api-keys.ts';

const Secrets = z.object({
  operatorMnemonic: z.string(),
  adminKey: z.string(),
  frontendKey: z.string(),
  encryptionKey: z.string(),
  /** Of the owner. */
  databasePassword: z.string(),
  apiDatabasePassword: z.string(),
  workerDatabasePassword: z.string(),
});

export type Secrets = z.infer<typeof Secrets>;

/** Data folders of older versions lack some. */
const StoredSecrets = Secrets.partial({ frontendKey: true, apiDatabasePassword: true, workerDatabasePassword: true });

/** The secrets of a data folder: created at its first start, readable by its owner only, never changed. */
export async function loadOrCreateSecrets(folder: string): Promise<Secrets> {
  const file = join(folder, 'secrets.json');
  const kept = await readFile(file, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
  if (kept !== undefined) {
    const stored = StoredSecrets.parse(JSON.parse(kept));
    const secrets = Secrets.parse({ ...newSecrets(), ...stored });
    return Object.keys(secrets).every((name) => name in stored) ? secrets : store(file, secrets);
  }
  return store(file, newSecrets());
}

async function store(file: string, secrets: Secrets): Promise<Secrets> {
  await writeFile(`${file}.new`, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return secrets;
}

/** Secrets for a new stack. */
export function newSecrets(): Secrets {
  return {
    operatorMnemonic: generateMnemonic(wordlist, 256),
    adminKey: newApiKey(),
    frontendKey: newApiKey(),
    encryptionKey: randomBytes(32).toString('base64'),
    databasePassword: newPassword(),
    apiDatabasePassword: newPassword(),
    workerDatabasePassword: newPassword(),
  };
}

function newPassword(): string {
  return randomBytes(24).toString('base64url');
}

function newApiKey(): string {
  return formatApiKey({ environment: 'development', id: randomUUID(), secret: randomBytes(32) });
}
