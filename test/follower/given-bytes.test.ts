import { expect, test } from '@jest/globals';
import { signTransaction } from '../../src/cardano/keys/witnesses.ts';
import { expireTransactions } from '../../src/ledger-follower/resubmit-and-expire.ts';
import { sendAllToSelf } from '../vault-lifecycle/direct-submission.ts';
import { type ApiService, apiService } from '../vaults/api-service.ts';
import { followerOf } from './follower-service.ts';
import { newVault } from './sent-deposit.ts';

/** Creations of vaults on the ledger of which Postgres does not have the signatures, as after a restored backup; returns their bytes by hash. */
async function confirmedCreations(service: ApiService, count: number): Promise<ReadonlyMap<string, string>> {
  for (let made = 0; made < count; made += 1) await newVault(service);
  const rows = await service.sql.run<{ hash: string; unsigned: string; index: number }>`select hash,
      unsigned_cbor as unsigned, key_index as index from chain_transactions
      join vault_keys using (vault_id) where kind = 'create_vault'`;
  const confirmed = new Map<string, string>();
  for (const { hash, unsigned, index } of rows) {
    const signed = signTransaction(unsigned, [service.keys.operator, service.keys.policyKey(index)]);
    expect(await service.ledger.submit(signed)).toMatchObject({ status: 200 });
    confirmed.set(hash, signed);
  }
  await service.ledger.mine();
  return confirmed;
}

test('nothing that was confirmed is refused for bytes that the ledger gives of it that are half, unsigned, or of another transaction', async () => {
  await using service = await apiService();
  const follower = followerOf(service);
  const { context } = follower;
  await follower.catchUp();
  const stranger = await sendAllToSelf(service, await service.fundedWallet());
  const confirmed = await confirmedCreations(service, 3);
  const given = new Map<string, string | null>();
  const { ledger } = context;
  for (const [position, [hash, signed]] of [...confirmed].entries()) {
    const rows = await service.sql.run<{ unsigned: string }>`select unsigned_cbor as unsigned
        from chain_transactions where hash = ${hash}`;
    const lies = [signed.slice(0, signed.length / 2), rows[0]?.unsigned, await ledger.transactionCbor(stranger)];
    given.set(hash, lies[position] ?? null);
  }
  const unrecorded: string[] = [];
  context.onUnrecorded = (hash, error) => {
    expect(String(error)).toContain('nobody knows who has signed it');
    unrecorded.push(hash);
  };
  context.ledger = { ...ledger, transactionCbor: (hash) => Promise.resolve(given.get(hash) ?? null) };
  await follower.catchUp();
  expect(unrecorded.sort()).toEqual([...confirmed.keys()].sort());

  // It is asked again when their validity has passed.
  context.ledger = ledger;
  await service.sql.run`update chain_transactions set ttl_slot = 1 where hash = any(${unrecorded})`;
  await service.ledger.mine(3);
  await follower.catchUp();
  await expireTransactions(context);
  const rows = await service.sql.run<{ state: string }>`select state from chain_transactions
      where hash = any(${unrecorded})`;
  expect(rows.map(({ state }) => state)).toEqual(['confirmed', 'confirmed', 'confirmed']);
});

test('a block does not wait for ever for the bytes of one transaction that the ledger cannot give', async () => {
  await using service = await apiService();
  const follower = followerOf(service);
  const { context } = follower;
  await follower.catchUp();
  const [lost = '', given = ''] = (await confirmedCreations(service, 2)).keys();
  const { ledger } = context;
  const unrecorded: string[] = [];
  context.onUnrecorded = (hash) => {
    unrecorded.push(hash);
  };
  context.ledger = {
    ...ledger,
    transactionCbor: (hash) => (hash === lost ? Promise.reject(new Error('no answer')) : ledger.transactionCbor(hash)),
  };
  for (let attempt = 1; attempt < 20; attempt += 1) await expect(follower.look()).rejects.toThrow('no answer');
  await follower.catchUp();
  expect(unrecorded).toEqual([lost]);
  const rows = await service.sql.run`select state from chain_transactions where hash = ${given}`;
  expect(rows).toEqual([{ state: 'confirmed' }]);
});
