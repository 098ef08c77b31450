import { expect, test } from '@jest/globals';
import { createNetworkStateCache } from '../../src/cardano/ledger/network-state.ts';
import { wallClock } from '../../src/platform/units/time.ts';
import { expireTransactions, resendAll, resubmitAndExpire } from '../../src/ledger-follower/resubmit-and-expire.ts';
import { keys } from '../chain/sample-context.ts';
import { type ApiService, apiService } from '../vaults/api-service.ts';
import { fanOut, hashOf, recordExpired, stakeOnLedger } from './doubtful-transactions.ts';
import { followerOf } from './follower-service.ts';

/** What resubmitting and expiring need, on the ledger of `context`. */
function resubmitContext<Context extends Pick<ReturnType<typeof followerOf>['context'], 'ledger'>>(context: Context) {
  const networkState = createNetworkStateCache({ ledger: context.ledger, networkId: 0 });
  const readingTime = () => Promise.resolve(wallClock.now());
  return { ...context, networkState, keys, networkId: 0 as const, readingTime, blockMs: 1000 };
}

async function countSubmitted({ sql }: ApiService): Promise<number> {
  return (await sql.run`select 1 from chain_transactions where kind = 'fan_out' and state = 'submitted'`).length;
}

test('transactions that the ledger cannot answer for keep no other from expiring', async () => {
  await using service = await apiService();
  const follower = followerOf(service);
  await follower.catchUp();
  const confirmed = await stakeOnLedger(service);
  await follower.catchUp();
  const poisoned = 210;
  await recordExpired(service, confirmed, [1, poisoned + 1]);
  const ledger = {
    ...follower.context.ledger,
    transaction: (hash: string) =>
      hash <= hashOf(poisoned)
        ? Promise.reject(new Error(`no answer for ${hash}`))
        : follower.context.ledger.transaction(hash),
  };
  const expire = () => expireTransactions({ ...follower.context, ledger });
  for (const left of [poisoned + 1, poisoned]) {
    await expect(expire()).rejects.toThrow('no answer');
    expect(await countSubmitted(service)).toBe(left);
  }
});

test('a transaction past its validity that the ledger knows by its hash is recorded with its block, and does not expire', async () => {
  await using service = await apiService();
  const follower = followerOf(service);
  await follower.catchUp();
  const confirmed = await stakeOnLedger(service);
  await follower.catchUp();
  // As if the blocks had been read without it.
  await service.sql.run`update chain_transactions
      set state = 'submitted', ttl_slot = 1, block_height = null, block_hash = null where hash = ${confirmed}`;
  const { ledger } = follower.context;
  const ofAnotherFork = async (hash: string) => {
    const found = await ledger.transaction(hash);
    return found && { ...found, blockHash: hashOf(0) };
  };
  await expireTransactions({ ...follower.context, ledger: { ...ledger, transaction: ofAnotherFork } });
  const read = await service.sql.query('select state from chain_transactions where hash = $1', [confirmed]);
  expect(read.rows).toEqual([{ state: 'submitted' }]);

  await recordExpired(service, confirmed, [1, 1]);
  await expireTransactions(follower.context);
  const rows = await service.sql.run<{ state: string; height: string | null }>`select state, block_height as height
      from chain_transactions where hash = any(${[hashOf(1), confirmed]}) order by hash`;
  const onLedger = await service.ledger.query<{ block_height: number }>(`/txs/${confirmed}`);
  expect(rows).toEqual([
    { state: 'expired', height: null },
    { state: 'confirmed', height: String(onLedger?.block_height) },
  ]);

  // As if an operator had accepted a history from above its block on.
  await service.sql.run`update chain_transactions set state = 'submitted', block_height = null
      where hash = ${confirmed}`;
  await service.sql.run`delete from blocks where height < (select max(height) - 2 from blocks)`;
  const withoutTip = { ...ledger, block: async (height: number | string) => await ledger.block(Number(height) - 1) };
  const stateOfConfirmed = async () =>
    (await service.sql.run<{ state: string }>`select state from chain_transactions where hash = ${confirmed}`)[0];
  await expireTransactions({ ...follower.context, ledger: withoutTip });
  expect(await stateOfConfirmed()).toEqual({ state: 'submitted' });
  await expireTransactions(follower.context);
  expect(await stateOfConfirmed()).toEqual({ state: 'confirmed' });
});

test('a step of a vault that expires twice in a row holds it, whether or not its workflow sees both', async () => {
  await using service = await apiService();
  const follower = followerOf(service);
  await follower.catchUp();
  const confirmed = await stakeOnLedger(service);
  await follower.catchUp();
  const stateOfSteps = async () =>
    (
      await service.sql.run<{ states: string; held: string | null }>`select string_agg(t.state, ' '
          order by t.created_at) as states, (select reason from holds where vault_id = t.vault_id) as held
          from chain_transactions t where kind = 'gather_pot' group by vault_id`
    )[0];
  for (const [n, expected] of [
    { states: 'expired', held: null },
    { states: 'expired expired', held: 'repeated_failures' },
  ].entries()) {
    const step = { kind: 'gather_pot', state: 'awaiting_signatures', created_at: new Date(n).toISOString() };
    await recordExpired(service, confirmed, [n + 1, n + 1], step);
    await expireTransactions(follower.context);
    expect(await stateOfSteps()).toEqual(expected);
  }
});

test('transactions in no followed block, though the ledger knows them, keep no other from expiring with the same block', async () => {
  await using service = await apiService();
  const follower = followerOf(service);
  await follower.catchUp();
  const confirmed = await stakeOnLedger(service);
  await follower.catchUp();
  const elsewhere = 200;
  await recordExpired(service, confirmed, [1, elsewhere + 1]);
  const { ledger } = follower.context;
  const transaction = async (hash: string) => {
    if (hash > hashOf(elsewhere)) return null;
    const found = await ledger.transaction(confirmed);
    return found && { ...found, blockHash: hashOf(0) };
  };
  await expireTransactions({ ...follower.context, ledger: { ...ledger, transaction } });
  expect(await countSubmitted(service)).toBe(elsewhere);
});

test('a transaction that cannot be read keeps no block and no other transaction waiting', async () => {
  await using service = await apiService();
  const follower = followerOf(service);
  await follower.catchUp();
  const [bad, good] = [await stakeOnLedger(service), await stakeOnLedger(service)];
  const poison = (hash: string) =>
    service.sql.query(
      `update chain_transactions set updated_at = '2020-01-01', inputs = '[{"lovelace": "none"}]' where hash = $1`,
      [hash],
    );
  const stateOf = async (hash: string) =>
    (
      await service.sql.run`select state, sent_at is not null as sent from chain_transactions where hash = ${hash}`
    )[0] as unknown;
  const rows = await service.sql.run<{ inputs: unknown }>`select inputs from chain_transactions where hash = ${bad}`;
  const holdsOf = async (hash: string) => {
    const query = 'select reason from holds join chain_transactions using (vault_id) where hash = $1';
    return (await service.sql.query<{ reason: string }>(query, [hash])).rows;
  };
  await poison(bad);
  const unrecorded: string[] = [];
  follower.context.onUnrecorded = (hash) => {
    unrecorded.push(hash);
  };
  await follower.catchUp();
  expect(unrecorded).toEqual([bad]);
  expect(await stateOf(good)).toMatchObject({ state: 'final' });

  await recordExpired(service, good, [1, 2]);
  await poison(hashOf(1));
  const { context } = follower;
  await expect(resendAll(resubmitContext(context))).rejects.toThrow('BigInt');
  await expect(expireTransactions(context)).rejects.toThrow('BigInt');
  expect(await stateOf(hashOf(1))).toEqual({ state: 'submitted', sent: true });
  expect(await stateOf(hashOf(2))).toEqual({ state: 'expired', sent: true });

  // Its vault says so until it is repaired; then it is recorded with the next block.
  expect(await holdsOf(bad)).toEqual([{ reason: 'quarantined' }]);
  await service.sql.run`update chain_transactions set inputs = ${JSON.stringify(rows[0]?.inputs)}
      where hash = ${bad}`;
  await expect(expireTransactions(context)).rejects.toThrow('BigInt');
  expect(await stateOf(bad)).toMatchObject({ state: 'confirmed' });
  expect(await holdsOf(bad)).toEqual([]);
});

test('a direct submission whose bytes the ledger does not give keeps no transaction from being sent again', async () => {
  await using service = await apiService();
  const follower = followerOf(service);
  await follower.catchUp();
  const confirmed = await stakeOnLedger(service);
  const { look, context } = follower;
  expect(await look()).toBe('blocks');
  // It is not final: its signatures are still wanted.
  await service.sql.run`update chain_transactions set state = 'confirmed', signed_cbor = null
      where hash = ${confirmed}`;
  await recordExpired(service, confirmed, [2, 2]);
  const ledger = { ...context.ledger, transactionCbor: () => Promise.reject(new Error('no bytes')) };
  await expect(resubmitAndExpire(resubmitContext({ ...context, ledger }), 'rollback')).rejects.toThrow('no bytes');
  const rows = await service.sql.run`select 1 from chain_transactions where sent_at is not null`;
  expect(rows).toHaveLength(1);
});

test('after a rollback all that is in no block is sent again, not the first twenty alone', async () => {
  await using service = await apiService();
  const follower = followerOf(service);
  await follower.catchUp();
  const confirmed = await stakeOnLedger(service);
  await follower.catchUp();
  const { context } = follower;
  // Whether it could be sent does not matter: nobody has signed it.
  const unsigned = { ...fanOut, signed_cbor: null, ttl_slot: 1e9, updated_at: '2020-01-01' };
  await recordExpired(service, confirmed, [1, 64], unsigned);
  // A clock was ahead when it was sent.
  await recordExpired(service, confirmed, [65, 65], { ...unsigned, updated_at: '2120-01-01' });
  await resubmitAndExpire(resubmitContext(context), 'rollback');
  const rows = await service.sql.run`select 1 from chain_transactions where sent_at is not null`;
  expect(rows).toHaveLength(65);
});

test('a row that is written under the hash of another transaction counts nothing when that is confirmed, and ends', async () => {
  await using service = await apiService();
  const follower = followerOf(service);
  await follower.catchUp();
  const hashes: string[] = [];
  for (let n = 0; n < 5; n += 1) hashes.push(await stakeOnLedger(service));
  const [bytes = '', outputs = '', inputs = '', ofWorker = '', honest = ''] = hashes;
  const forge = (hash: string, change: string) =>
    service.sql.query(`update chain_transactions set ${change} where hash = $1`, [hash]);
  const states = async () => {
    const query = 'select hash, state from chain_transactions where hash = any($1)';
    const { rows } = await service.sql.query<{ hash: string; state: string }>(query, [hashes]);
    return new Map(rows.map(({ hash, state }) => [hash, state]));
  };
  const before = await states();
  await forge(bytes, `unsigned_cbor = (select unsigned_cbor from chain_transactions where hash = '${honest}')`);
  await forge(outputs, `outputs = jsonb_set(outputs::jsonb, '{0,lovelace}', '"900000000"')`);
  await forge(inputs, `inputs = (select inputs from chain_transactions where hash = '${honest}')`);
  // Of a kind that the worker alone records: nobody has forged it who could not do more.
  await forge(ofWorker, `kind = 'move_kept', unsigned_cbor = ''`);
  const refused: string[] = [];
  const unrecorded: string[] = [];
  const because = 'its bytes are of another transaction';
  follower.context.onSignatureRefused = (transaction, reason) => {
    expect(reason).toContain(because);
    refused.push((transaction as { readonly hash: string }).hash);
  };
  follower.context.onUnrecorded = (hash, error) => {
    expect(String(error)).toContain(because);
    unrecorded.push(hash);
  };
  await follower.catchUp();
  expect(unrecorded).toEqual([ofWorker]);
  const forged = [bytes, outputs, inputs];
  expect(refused.sort()).toEqual(forged.toSorted());
  expect(await states()).toEqual(
    new Map([...before, ...forged.map((hash) => [hash, 'failed'] as const), [honest, 'final']]),
  );
});
