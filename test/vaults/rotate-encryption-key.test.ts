import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { createEncryption, type Encrypted } from '../../src/platform/database/encryption.ts';
import { signingWallet } from '../http/signing-wallet.ts';
import { canaries } from '../secrets/canaries.ts';
import { type ApiService, apiService } from './api-service.ts';
import { vaultBody } from './create-vault-body.ts';
import { composed, environmentOf } from '../deployment/compose-file.ts';

const newKey = Buffer.alloc(32, 3);
const secrets = {
  VAULTS_API_DB_PASSWORD: canaries.apiDatabasePassword,
  ENCRYPTION_KEY: newKey.toString('base64'),
  ENCRYPTION_KEY_OTHER: canaries.encryptionKey,
};

test('the documented command, in a container of the api, puts every stored email under the new key, and names what it cannot read', async () => {
  await using service = await apiService();
  const { address } = signingWallet();
  const made = async (email: string) => {
    const body = { ...vaultBody(address), admin_user: { wallet_address: address, email } };
    return (await service.api.post<{ vault_id: string }>('/vaults', body)).body.vault_id;
  };
  const [kept, damaged] = [await made('first@harbour.example'), await made('second@harbour.example')];
  await service.sql.run`update vaults
      set admin_email = jsonb_set(admin_email, '{tag}', '"lQBpKe9ocI9pEKXVO8MoUQ=="') where id = ${damaged}`;
  const alone = createEncryption({ current: newKey });
  const printed = (count: number) =>
    `Encrypted ${count} values with the key ${alone.keyId}.\nNo configured key decrypts the admin email of vault ${damaged}.\n`;

  await using folder = await mkdtempDisposable(join(tmpdir(), 'secrets-'));
  const rotate = () => runInApiContainer(service, folder.path, 'rotate-encryption-key');
  expect(await rotate()).toEqual({ code: 1, stdout: printed(1), stderr: '' });
  const rows = await service.sql.run<{ email: Encrypted }>`select admin_email as email from vaults
      where id = ${kept}`;
  const cell = { table: 'vaults', column: 'admin_email', id: kept };
  expect(rows.map(({ email }) => alone.decrypt(email, cell))).toEqual(['first@harbour.example']);
  expect(await rotate()).toEqual({ code: 1, stdout: printed(0), stderr: '' });
});

/** Runs a command of an operator with what the compose file gives the api, its secrets in files, on the database of a service. */
async function runInApiContainer({ databaseUrl }: ApiService, folder: string, ...command: string[]) {
  const files = Object.keys(secrets).flatMap((name) => [[name, ''] as const, [`${name}_FILE`, '/host'] as const]);
  for (const [name, secret] of Object.entries(secrets)) await writeFile(join(folder, name), `${secret}\n`);
  const given = environmentOf(composed(Object.fromEntries(files)).services.api, { '/run/secrets': folder });
  const env = {
    ...given,
    DATABASE_URL: onDatabase(given['DATABASE_URL'] ?? '', databaseUrl),
    ENVIRONMENT: 'development',
  };
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', 'src/operations/commands/main.ts', ...command],
    {
      env,
    },
  );
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

/** The user of the one, on the server and in the database of the other, which is not encrypted. */
function onDatabase(composedUrl: string, databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.username = new URL(composedUrl).username;
  url.password = '';
  return url.href;
}
