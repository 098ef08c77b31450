import { expect, test } from '@jest/globals';
import { keyAddress } from '../cardano/scripts/address.ts';
import type { Utxo } from '../cardano/transaction.ts';
import { lovelace } from '../platform/units/money.ts';
import { prefetchWallet } from './start-wallet-transaction.ts';

const addressOf = (number: number) => keyAddress(number.toString(16).padStart(56, '0'), 0);
const stakeAddress = 'stake_test1';

/** A ledger on which the stake address has a hundred addresses with this many UTxOs each; remembers which were read. */
function ledgerWith(count: number) {
  const read: string[] = [];
  const utxo = (address: string, index: number): Utxo => ({
    ...{ txHash: 'ab'.repeat(32), index, address, lovelace: lovelace(1_000_000n), assets: new Map() },
  });
  return {
    read,
    stakeAddresses: () => Promise.resolve(Array.from({ length: 100 }, (_, number) => addressOf(number))),
    walletUtxos: (address: string) => {
      read.push(address);
      return Promise.resolve(Array.from({ length: count }, (_, index) => utxo(address, index)));
    },
  };
}

const prefetch = (ledger: ReturnType<typeof ledgerWith>) =>
  prefetchWallet(
    { ledger, networkState: () => Promise.resolve({}), networkId: 0 } as unknown as Parameters<
      typeof prefetchWallet
    >[0],
    { address: addressOf(1_000), funds: { kind: 'stake', address: stakeAddress } },
  );

test("a request that names a stranger's large stake address reads a few of its addresses, not all", async () => {
  const large = ledgerWith(1_000);
  expect((await prefetch(large)).utxos).toHaveLength(5_000);
  expect(large.read).toHaveLength(5);
  expect(large.read[0]).toBe(addressOf(1_000));
});

test('a wallet of a hundred small addresses is read whole', async () => {
  const small = ledgerWith(2);
  expect((await prefetch(small)).utxos).toHaveLength(202);
  expect(small.read).toHaveLength(101);
});
