import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { deriveKeys } from '../../cardano/keys/keys.ts';
import { loadRootConfig } from '../../platform/config/ops.ts';
import type { CommandResult } from './command-result.ts';
import { joinRoot, RootSharesError, splitRoot } from './root-shares.ts';

export type RootCommand = 'new-root' | 'operator-address' | 'split-root' | 'join-root';

/** Runs a command about the root key, which needs neither database nor ledger. Shares to join are lines of `input`. */
export async function rootCommand(
  command: RootCommand,
  [threshold, count]: readonly string[],
  input: () => Promise<string>,
): Promise<CommandResult> {
  try {
    switch (command) {
      case 'new-root':
        return withItsAddress(generateMnemonic(wordlist, 256));
      case 'operator-address':
        return { ok: true, output: operatorOf(configuredRoot()) };
      case 'split-root':
        return split(threshold, count);
      case 'join-root':
        return withItsAddress(joinRoot((await input()).split('\n').filter((line) => line.trim() !== '')));
    }
  } catch (error) {
    if (!(error instanceof RootSharesError)) throw error;
    return { ok: false, output: error.message };
  }
}

function split(threshold = '', count = ''): CommandResult {
  const mnemonic = configuredRoot();
  const shares = splitRoot(mnemonic, { threshold: Number(threshold), count: Number(count) });
  const listed = shares.map((share, index) => `Share ${index + 1} of ${shares.length}:\n${share}`);
  const text = `Any ${threshold} of these shares restore the root key of ${operatorOf(mnemonic)}. Write them down now. They are not stored and not shown again.`;
  return { ok: true, output: [text, ...listed].join('\n\n') };
}

function withItsAddress(mnemonic: string): CommandResult {
  return {
    ok: true,
    output: `Root key of ${operatorOf(mnemonic)}:

${mnemonic}`,
  };
}

function configuredRoot(): string {
  const { operatorMnemonic } = loadRootConfig();
  if (operatorMnemonic === undefined) throw new RootSharesError('OPERATOR_MNEMONIC is not set.');
  return operatorMnemonic;
}

function operatorOf(mnemonic: string): string {
  return deriveKeys(mnemonic, loadRootConfig().networkId).operator.address;
}
