import { expect, test } from '@jest/globals';
import { findEarlierMint } from './earlier-mint.ts';

const vault = { address: 'addr_settlement', policyKeyHash: 'a'.repeat(56) };
const NOTHING_MINTED = '84a0a0f5f6';
const MANY = 600;

test('many payments of strangers to the settlement address are read together, and after an interruption only those that are left', async () => {
  const asked: string[] = [];
  let most = 0;
  let open = 0;
  const ledger = {
    async *addressTransactions() {
      for (let place = 0; place < MANY; place += 1) yield { txHash: String(place), blockHeight: place };
      await Promise.resolve();
    },
    async transactionCbor(hash: string) {
      most = Math.max(most, ++open);
      asked.push(hash);
      await Promise.resolve();
      open -= 1;
      if (asked.length === MANY / 2) throw new Error('the activity has no time left');
      return NOTHING_MINTED;
    },
  };
  await expect(findEarlierMint(ledger, vault)).rejects.toThrow('no time left');
  expect(await findEarlierMint(ledger, vault)).toBeNull();
  expect(await findEarlierMint(ledger, vault)).toBeNull();
  expect(asked.length).toBeLessThanOrEqual(MANY + most);
  expect(most).toBe(10);
});

test('a transaction whose bytes the ledger does not show yet may be a mint, so it is asked for again', async () => {
  const shown: (string | null)[] = [null, NOTHING_MINTED];
  const ledger = {
    async *addressTransactions() {
      yield await Promise.resolve({ txHash: 'f', blockHeight: 1 });
    },
    transactionCbor: () => Promise.resolve(shown.shift() ?? null),
  };
  await expect(findEarlierMint(ledger, vault)).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
  expect(await findEarlierMint(ledger, vault)).toBeNull();
});
