import { deriveKeys } from '../chain/keys/keys.ts';
import { loadRootConfig } from '../config/root.ts';
import type { CommandResult } from './command-result.ts';
import { joinRoot, RootSharesError, splitRoot } from './root-shares.ts';

/** Runs a command about the root key, which needs neither database nor ledger. Shares to join are lines of `input`. */
export async function rootCommand(
  [command, threshold, count]: readonly string[],
  input: () => Promise<string>,
): Promise<CommandResult> {
  try {
    return command === 'split-root' ? split(threshold, count) : join(await input());
  } catch (error) {
    if (!(error instanceof RootSharesError)) throw error;
    return { ok: false, output: `${error.message}.` };
  }
}

function split(threshold = '', count = ''): CommandResult {
  const { networkId, operatorMnemonic } = loadRootConfig();
  if (operatorMnemonic === undefined) throw new RootSharesError('OPERATOR_MNEMONIC is not set');
  const shares = splitRoot(operatorMnemonic, { threshold: Number(threshold), count: Number(count) });
  const listed = shares.map((share, index) => `Share ${index + 1} of ${shares.length}:\n${share}`);
  const { address } = deriveKeys(operatorMnemonic, networkId).operator;
  const text = `Any ${threshold} of these shares give the root of ${address} back. They are stored nowhere and not shown again.`;
  return { ok: true, output: [text, ...listed].join('\n\n') };
}

function join(input: string): CommandResult {
  const { networkId } = loadRootConfig();
  const mnemonic = joinRoot(input.split('\n').filter((line) => line.trim() !== ''));
  const { address } = deriveKeys(mnemonic, networkId).operator;
  return { ok: true, output: `The root of ${address}:\n\n${mnemonic}` };
}
