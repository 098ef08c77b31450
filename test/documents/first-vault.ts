import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from '@jest/globals';
import { ledgerClient } from '../stack/ledger-client.ts';
import { clientsOf } from '../start/npm-start.ts';
import { holdings } from '../vault-lifecycle/participants.ts';

interface Vault {
  readonly name: string;
  readonly status: string;
  readonly fractionalization: { readonly tokenAddress: string };
}

/** Runs one of the examples against the stack of a data folder; returns what it prints. */
export async function runExample(command: string, dataDir: string): Promise<string> {
  const [program = '', ...words] = command.split(' ');
  const { stdout } = await promisify(execFile)(program, words, { env: { ...process.env, DATA_DIR: dataDir } });
  return stdout;
}

/** Fails unless the vault that an example says it created is settled, and its wallet holds the tokens that the example printed. */
export async function requireFirstVault(
  stack: Parameters<typeof clientsOf>[0] & { readonly ledgerUrl: string },
  output: string,
): Promise<void> {
  const [, vaultId = ''] = /^Created vault (\S+)$/m.exec(output) ?? [];
  const [, address = ''] = /^Logged in (\S+)$/m.exec(output) ?? [];
  const { body } = await clientsOf(stack).api.get<{ data: Vault }>(`/vaults/${vaultId}`);
  expect(body.data).toMatchObject({ name: 'Harbour Loft', status: 'LOCKED' });
  const tokens = [...output.matchAll(/^The (?:asset|investment) gets (\d+) FT/gm)].map(([, amount]) => amount);
  expect(tokens).toHaveLength(2);
  const promised = tokens.reduce((sum, amount = '') => sum + BigInt(amount) * 1_000_000n, 0n);
  const ledger = ledgerClient(stack.ledgerUrl.replace(/\/api\/v0$/, ''));
  expect((await holdings({ ledger }, address)).get(body.data.fractionalization.tokenAddress)).toBe(promised);
}
