import { entropyToMnemonic, mnemonicToEntropy } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import Slip39 from 'slip39';

/** A failure of splitting or joining; its text holds no word of a secret. */
export class RootSharesError extends Error {}

const MOST_SHARES = 16;

/**
 * Splits the entropy of a mnemonic into SLIP-39 shares, of which any `threshold` give it back. Throws RootSharesError for numbers that
 * SLIP-39 does not have, and for a mnemonic that is none.
 */
export function splitRoot(mnemonic: string, { threshold, count }: { threshold: number; count: number }): string[] {
  const isPossible = threshold >= 2 && threshold <= count && count <= MOST_SHARES;
  if (!isPossible || !Number.isInteger(threshold) || !Number.isInteger(count))
    throw new RootSharesError(`Choose a threshold from 2 to the number of shares, and at most ${MOST_SHARES} shares.`);
  const shares = Slip39.fromArray([...entropyOf(mnemonic)], { threshold: 1, groups: [[threshold, count]] });
  const { mnemonics } = shares.fromPath('r/0');
  // Nobody should find out years later: each share is joined with its neighbours before it is shown.
  for (let first = 0; first < count; first += 1) {
    const some = Array.from({ length: threshold }, (_, index) => mnemonics[(first + index) % count] ?? '');
    if (joinRoot(some) !== mnemonic) throw new RootSharesError('These shares do not restore the root key.');
  }
  return mnemonics;
}

/** The mnemonic of which these are shares, at least as many as its threshold. Throws RootSharesError if they are not. */
export function joinRoot(given: readonly string[]): string {
  const shares = [...new Set(given.map((share) => share.trim().toLowerCase().replace(/\s+/g, ' ')))];
  const wrong = shares.findIndex((share) => !Slip39.validateMnemonic(share));
  if (wrong >= 0) throw new RootSharesError(`Share ${wrong + 1} has a wrong or missing word.`);
  // The library wants exactly as many as needed, and their number cannot be read from outside.
  for (let count = 2; count <= shares.length; count += 1) {
    const entropy = recover(shares.slice(0, count));
    if (entropy) return entropyToMnemonic(entropy, wordlist);
  }
  throw new RootSharesError('There are too few shares, or they belong to different keys or splits.');
}

function recover(shares: readonly string[]): Uint8Array | undefined {
  try {
    return Uint8Array.from(Slip39.recoverSecret(shares));
  } catch {
    // The errors of the library may quote a share.
    return undefined;
  }
}

function entropyOf(mnemonic: string): Uint8Array {
  try {
    return mnemonicToEntropy(mnemonic, wordlist);
  } catch {
    throw new RootSharesError('OPERATOR_MNEMONIC is not a BIP-39 mnemonic.');
  }
}
