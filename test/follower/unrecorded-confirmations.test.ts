import { expect, test } from '@jest/globals';
import { expireTransactions } from '../../src/ledger-follower/resubmit-and-expire.ts';
import { apiService } from '../vaults/api-service.ts';
import { recordExpired, stakeOnLedger } from './doubtful-transactions.ts';
import { followerOf } from './follower-service.ts';

test('the hold for a confirmation that could not be recorded ends with it, whatever else of its vault is doubtful or had been given up', async () => {
  await using service = await apiService();
  const follower = followerOf(service);
  await follower.catchUp();
  const hashes = [await stakeOnLedger(service), await stakeOnLedger(service)] as const;
  const [bad, givenUp] = hashes;
  await service.sql.run`with ended as (update chain_transactions set state = 'expired', updated_at = now()
      where hash = ${givenUp} returning id)
      update stakes set status = 'RELEASED', release_reason = 'expired' from ended where stake_transaction_id = ended.id`;
  await service.sql.run`create table before as select hash, inputs from chain_transactions`;
  await service.sql.run`update chain_transactions set inputs = '[{"lovelace": "none"}]' where hash = any(${hashes})`;
  follower.context.onUnrecorded = () => undefined;
  await follower.catchUp();
  const held = async () => (await service.sql.run`select 1 from holds where reason = 'quarantined'`).length;
  await expect(expireTransactions(follower.context)).rejects.toThrow('BigInt');
  expect(await held()).toBe(2);

  await service.sql.run`update chain_transactions t set inputs = before.inputs from before
      where before.hash = t.hash`;
  // A ledger did not answer for another one of the vault when that should have expired.
  const doubtful = { kind: 'gather_pot', state: 'awaiting_signatures', expiry_failed_at: new Date().toISOString() };
  await recordExpired(service, bad, [1, 1], doubtful);
  await expireTransactions(follower.context);
  const rows = await service.sql.run<{ state: string }>`select state from chain_transactions
      where hash = any(${hashes})`;
  expect(rows).toEqual([{ state: 'confirmed' }, { state: 'confirmed' }]);
  expect(await held()).toBe(0);
});
