import { randomBytes, randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { z } from 'zod';
import { formatApiKey } from '../src/auth/api-key.ts';

const Secrets = z.object({
  operatorMnemonic: z.string(),
  adminKey: z.string(),
  encryptionKey: z.string(),
  databasePassword: z.string(),
});

export type Secrets = z.infer<typeof Secrets>;

/** The secrets of a data folder: made on its first start, readable by its owner only, the same ever after. */
export async function keepSecrets(folder: string): Promise<Secrets> {
  const file = join(folder, 'secrets.json');
  const kept = await readFile(file, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
  if (kept !== undefined) return Secrets.parse(JSON.parse(kept));

  const secrets = newSecrets();
  await writeFile(`${file}.new`, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return secrets;
}

/** Secrets of a stack that nobody has used before. */
export function newSecrets(): Secrets {
  return {
    operatorMnemonic: generateMnemonic(wordlist, 256),
    adminKey: formatApiKey({ environment: 'development', id: randomUUID(), secret: randomBytes(32) }),
    encryptionKey: randomBytes(32).toString('base64'),
    databasePassword: randomBytes(24).toString('base64url'),
  };
}
