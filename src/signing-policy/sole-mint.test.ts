import { expect, test } from '@jest/globals';
import { ServiceError } from '../platform/errors.ts';
import { requireSoleMint } from './mint.ts';

const policyKeyHash = 'a'.repeat(56);
const TTL = 2_000;
const mintOf = (hash: string, ...inputs: string[]) => {
  return { hash, inputs: inputs.map((txHash) => ({ txHash, index: 0 })), ttlSlot: TTL };
};

test('of two mints of a vault that are signed before the ledger shows one, only one can be confirmed', () => {
  const ledger = { transactionCbor: () => Promise.resolve(null) };
  const refusal = (mint: ReturnType<typeof mintOf>, { slot = TTL, key = policyKeyHash } = {}) => {
    try {
      requireSoleMint(ledger, { policyKeyHash: key, slot, mint });
      return null;
    } catch (error) {
      return error instanceof ServiceError ? [error.code, error.details?.['reason']] : error;
    }
  };
  const first = mintOf('first', 'a', 'b');
  expect(refusal(first)).toBeNull();
  expect(refusal(first)).toBeNull();
  const rival = (hash: string) => ['LEDGER_UNAVAILABLE', `mint ${hash} of the same vault is signed and may still land`];
  expect(refusal(mintOf('second', 'c'))).toEqual(rival('first'));
  expect(refusal(mintOf('second', 'c'), { key: 'b'.repeat(56) })).toBeNull();
  // The ledger takes one of those that spend the same output; a third has to spend one of each.
  expect(refusal(mintOf('replacing', 'b', 'd'))).toBeNull();
  expect(refusal(mintOf('third', 'd'))).toEqual(rival('first'));
  expect(refusal(mintOf('third', 'a'))).toEqual(rival('replacing'));
  expect(refusal(mintOf('late', 'e'), { slot: TTL + 1 })).toBeNull();
});
