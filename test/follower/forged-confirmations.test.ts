import { expect, test } from '@jest/globals';
import { signTransaction } from '../../src/cardano/keys/witnesses.ts';
import { areDepositsFinal } from '../../src/vaults/transitions.ts';
import { findTransactionByHash } from '../../src/transactions/queries/transactions.ts';
import { claimClient } from '../claims/claim-client.ts';
import { countedPot, send, vaultWithPot } from '../claims/vault-with-pot.ts';
import { vaultWithTokens } from '../governance/vault-with-tokens.ts';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { sendAllToSelf, submitDirectly } from '../vault-lifecycle/direct-submission.ts';
import { followerOf } from './follower-service.ts';
import { asApi, insertLike, recordAs } from './forged-row.ts';
import { newVault } from './sent-deposit.ts';

const ADA = 1_000_000n;

interface Started {
  readonly data: {
    readonly id?: string;
    readonly transaction: { readonly hash: string; readonly unsignedTx: string };
  };
}

type Owner = Pick<ReturnType<typeof newWallet>, 'address' | 'sign'>;

/** Where a deposit is recorded, and by which column with its transaction, and what changes in a copy of it. */
const kinds = {
  stake: { table: 'stakes', column: 'stake_transaction_id', returned: 'unstake_transaction_id', copy: {} },
  invest: { table: 'investments', column: 'transaction_id', returned: 'remove_transaction_id', copy: {} },
  add_asset: {
    table: 'assets',
    column: 'add_transaction_id',
    returned: 'remove_transaction_id',
    copy: { asset_name: Buffer.from('Barn').toString('hex') },
  },
} as const;
type Kind = keyof typeof kinds;

/** Asks for a transaction that brings something, as a wallet does. */
const begun: Record<Kind, (service: ApiService) => Promise<{ owner: Owner; path: string; body: object }>> = {
  async stake(service) {
    const owner = newWallet();
    const path = `/vaults/${await vaultWithTokens(service, owner)}/stakes`;
    return { owner, path, body: { walletAddress: owner.address, amount: 100 } };
  },
  async invest(service) {
    const owner = await service.fundedWallet();
    const path = `/vaults/${await newVault(service)}/investments`;
    return { owner, path, body: { walletAddress: owner.address, lovelace: 5_000_000 } };
  },
  async add_asset(service) {
    const owner = await service.fundedWallet({ Villa: '1', Barn: '1' });
    const path = `/vaults/${await newVault(service)}/deposits`;
    const assets = [{ policyId: owner.policyId, assetName: 'Villa' }];
    return { owner, path, body: { walletAddress: owner.address, assets } };
  },
};

async function begin(service: ApiService, kind: Kind) {
  const { owner, path, body } = await begun[kind](service);
  const answer = await service.api.post<Started>(path, body);
  expect(answer).toMatchObject({ status: 201 });
  const { hash, unsignedTx } = answer.body.data.transaction;
  const recorded = await findTransactionByHash(service.db, hash);
  return { owner, hash, unsignedTx, id: recorded?.id ?? '', vaultId: recorded?.vaultId ?? '', data: answer.body.data };
}

/** A transaction of somebody who has nothing to do with the service, in a block that was not followed yet; returns its hash. */
async function strangersTransaction(service: ApiService): Promise<string> {
  const hash = await sendAllToSelf(service, await service.fundedWallet());
  await service.ledger.mine();
  return hash;
}

/** A follower that notes what the policy refuses. */
async function alarmedFollower(service: ApiService) {
  const follower = followerOf(service);
  const alarms: string[] = [];
  follower.context.onSignatureRefused = (_, reason) => {
    alarms.push(reason);
  };
  await follower.catchUp();
  return { ...follower, alarms };
}

const stateOf = async ({ db }: ApiService, hash: string) => (await findTransactionByHash(db, hash))?.state;

async function rowOf({ sql }: ApiService, table: string, id: string): Promise<unknown> {
  return (await sql.query(`select * from ${table} where id = $1`, [id])).rows[0];
}

async function holdsOf({ sql }: ApiService, vaultId: string): Promise<string[]> {
  const rows = await sql.run<{ reason: string }>`select reason from holds where vault_id = ${vaultId}`;
  return rows.map(({ reason }) => reason);
}

test.each([
  {
    kind: 'stake',
    ended: { status: 'RELEASED', final_at: null },
    counted: { status: 'ACTIVE', final_at: expect.anything() },
  },
  { kind: 'invest', ended: { status: 'EXPIRED' }, counted: { status: 'CONFIRMED' } },
  { kind: 'add_asset', ended: { status: 'RELEASED', locked_at: null }, counted: { status: 'LOCKED' } },
] as const)(
  "a stranger's transaction that the api has recorded as a $kind counts nothing, before and after a rollback; one that its wallet sent itself counts",
  async ({ kind, ended, counted }) => {
    await using service = await apiService();
    const follower = await alarmedFollower(service);
    const { table, column, copy } = kinds[kind];
    const { owner, hash, unsignedTx, id, vaultId } = await begin(service, kind);
    const stranger = await strangersTransaction(service);
    const forged = await recordAs(service, stranger, hash);
    const deposit = await insertLike(service, table, [column, id], { ...copy, [column]: forged });
    await submitDirectly(service, owner, unsignedTx);
    await service.ledger.mine();
    await follower.catchUp();
    const refused = { state: 'failed', block_height: null, error: expect.stringContaining('something else') };
    const notCounted = async () => {
      expect(await rowOf(service, 'chain_transactions', forged)).toMatchObject(refused);
      expect(await rowOf(service, table, deposit)).toMatchObject(ended);
    };
    await notCounted();
    expect(follower.alarms).toEqual([expect.stringContaining('its output 0 is not what was recorded')]);
    expect(await holdsOf(service, vaultId)).toEqual(['unjustified_transaction']);

    const cborOf = async (one: string) =>
      (await service.ledger.query<{ cbor: string }>(`/txs/${one}/cbor`))?.cbor ?? '';
    const [cbor, ownCbor] = [await cborOf(stranger), await cborOf(hash)];
    await service.ledger.rollback(2);
    await service.ledger.mine(3);
    await follower.catchUp();
    await notCounted();
    expect(await stateOf(service, hash)).not.toBe('failed');
    for (const bytes of [cbor, ownCbor]) await service.ledger.submit(bytes);
    await service.ledger.mine(6);
    await follower.catchUp();
    await notCounted();
    const { rows } = await service.sql.query(`select * from ${table} where ${column} = $1`, [id]);
    expect([await stateOf(service, hash), rows[0]]).toEqual(['final', expect.objectContaining(counted)]);
  },
);

test.each([
  { kind: 'stake', as: 'unstake', held: { status: 'ACTIVE', final_at: expect.anything() } },
  { kind: 'invest', as: 'remove_investment', held: { status: 'CONFIRMED' } },
  { kind: 'add_asset', as: 'remove_asset', held: { status: 'LOCKED' } },
] as const)(
  "a stranger's transaction that the api has recorded as the end of a $kind releases nothing",
  async ({ kind, as, held }) => {
    await using service = await apiService();
    const follower = await alarmedFollower(service);
    const { table, column, returned } = kinds[kind];
    const { owner, hash, unsignedTx, id } = await begin(service, kind);
    await submitDirectly(service, owner, unsignedTx);
    await service.ledger.mine(6);
    await follower.catchUp();
    const stranger = await strangersTransaction(service);
    const forged = await recordAs(service, stranger, hash, { kind: as });
    await asApi(service, `update ${table} set ${returned} = $1 where ${column} = $2`, [forged, id]);
    await service.ledger.mine(6);
    await follower.catchUp();
    const { rows } = await service.sql.query(`select * from ${table} where ${column} = $1`, [id]);
    expect([await stateOf(service, stranger), rows]).toEqual([
      'failed',
      [expect.objectContaining({ ...held, [returned]: null })],
    ]);
    expect(follower.alarms).toEqual([expect.stringContaining(`it does not spend ${hash}#0`)]);
  },
);

test("a vault waits for no deposit that the api has recorded under the hash of a stranger's transaction with other bytes, once that is confirmed", async () => {
  await using service = await apiService();
  const follower = await alarmedFollower(service);
  const { owner, hash, unsignedTx, id, vaultId } = await begin(service, 'invest');
  await submitDirectly(service, owner, unsignedTx);
  await service.ledger.mine(6);
  await follower.catchUp();
  expect(await areDepositsFinal(service.db, vaultId)).toBe(true);
  const stranger = await strangersTransaction(service);
  const forged = await recordAs(service, stranger, hash, { unsigned_cbor: unsignedTx });
  const pending = { transaction_id: forged, status: 'PENDING' };
  const deposit = await insertLike(service, 'investments', ['transaction_id', id], pending);
  expect(await areDepositsFinal(service.db, vaultId)).toBe(false);

  await follower.catchUp();
  expect(await areDepositsFinal(service.db, vaultId)).toBe(true);
  expect([await stateOf(service, stranger), await stateOf(service, hash)]).toEqual(['failed', 'final']);
  expect(await rowOf(service, 'investments', deposit)).toMatchObject({ status: 'EXPIRED' });
  expect(follower.alarms).toEqual([expect.stringContaining('its bytes are of another transaction')]);
  expect(await holdsOf(service, vaultId)).toEqual(['unjustified_transaction']);
});

test('a stake that its owner and the vault have returned without the service is released', async () => {
  await using service = await apiService();
  const follower = await alarmedFollower(service);
  const { owner, hash, unsignedTx, data } = await begin(service, 'stake');
  await submitDirectly(service, owner, unsignedTx);
  await service.ledger.mine(6);
  await follower.catchUp();
  const { body } = await service.api.del<Started>(`/stakes/${data.id}`);
  const unstake = body.data.transaction;
  const rows = await service.sql.run<{ index: number }>`select key_index as index
      from vault_keys join stakes on stakes.vault_key_hash = vault_keys.vault_key_hash where stakes.id = ${data.id}`;
  await submitDirectly(
    service,
    owner,
    signTransaction(unstake.unsignedTx, [service.keys.vaultKey(rows[0]?.index ?? -1)]),
  );
  await service.ledger.mine();
  await follower.catchUp();
  expect([await stateOf(service, hash), await stateOf(service, unstake.hash)]).toEqual(['final', 'confirmed']);
  expect(await rowOf(service, 'stakes', data.id ?? '')).toMatchObject({ status: 'RELEASED' });
  expect(follower.alarms).toEqual([]);
});

test("a stranger's transaction that the api has recorded as a claim takes nothing out of the pot; one that was sent past the service does", async () => {
  await using service = await apiService();
  const follower = await alarmedFollower(service);
  const client = claimClient(service);
  const holder = newWallet();
  const holders = [{ address: holder.address, tokens: 500_000_000n }];
  const { vaultId } = await vaultWithPot(service, holders, { outputs: [100n * ADA] });
  const before = await countedPot(service, vaultId);
  const claim = await client.signed(vaultId, holder, { amount: 200 });
  const { hash } = claim.transaction;
  const { id = '' } = (await findTransactionByHash(service.db, hash)) ?? {};
  const stranger = await strangersTransaction(service);
  const forged = await recordAs(service, stranger, hash);
  const forgedClaim = await insertLike(service, 'claims', ['claim_transaction_id', id], {
    claim_transaction_id: forged,
  });
  await service.ledger.mine();
  await follower.catchUp();
  expect(await countedPot(service, vaultId)).toEqual(before);
  expect(await rowOf(service, 'claims', forgedClaim)).toMatchObject({ status: 'FAILED' });
  expect(follower.alarms).toEqual([expect.stringContaining('no key of its vault has signed it')]);
  expect(await holdsOf(service, vaultId)).toEqual(['unjustified_transaction']);

  // Nobody has stored its signatures, as after a restored backup.
  await send(service, hash);
  await service.ledger.mine();
  await follower.catchUp();
  const paid = BigInt(claim.payoutLovelace);
  const after = { lovelace: before.lovelace - paid, circulating: before.circulating - 200_000_000n };
  expect(await countedPot(service, vaultId)).toEqual(after);
  expect(await client.read(vaultId, claim)).toMatchObject({ status: 'PAID' });

  await service.ledger.rollback(1);
  await service.ledger.mine(2);
  await follower.catchUp();
  expect([before, after]).toContainEqual(await countedPot(service, vaultId));
  expect(await rowOf(service, 'claims', forgedClaim)).toMatchObject({ status: 'FAILED' });
});

test("a stranger's transaction that the api has recorded as one that the platform signs is none, and the rest of its block counts", async () => {
  await using service = await apiService();
  const follower = await alarmedFollower(service);
  const { owner, hash, unsignedTx, vaultId } = await begin(service, 'invest');
  // What ends an execution that is recorded nowhere throws, here as where it expires.
  const quarantined: string[] = [];
  follower.context.onQuarantine = ({ hash: one }) => {
    quarantined.push(one);
  };
  const forged = [];
  for (const kind of ['create_vault', 'anchor', 'execute']) {
    const stranger = await strangersTransaction(service);
    await recordAs(service, stranger, hash, { kind });
    forged.push(stranger);
  }
  await submitDirectly(service, owner, unsignedTx);
  await service.ledger.mine();
  await follower.catchUp();
  const rows = await service.sql.run<{ confirmed: unknown }>`select creation_confirmed_at as confirmed from vaults
      where id = ${vaultId}`;
  expect(rows).toEqual([{ confirmed: null }]);
  expect(await stateOf(service, hash)).toBe('confirmed');
  const what = 'what landed is something else than was recorded';
  expect(new Set(follower.alarms)).toEqual(
    new Set([`${what}: no key of its vault has signed it`, `${what}: the operator has not signed it`]),
  );
  expect(new Set(quarantined)).toEqual(new Set(forged.slice(-1)));
  for (const stranger of forged) expect(await stateOf(service, stranger)).toBe('failed');
});
