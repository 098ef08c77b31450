import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createIds } from '../../src/platform/units/ids.ts';
import { instant } from '../../src/platform/units/time.ts';
import { baseUnits } from '../../src/platform/units/money.ts';
import { findTransactionByHash } from '../../src/transactions/queries/transactions.ts';
import type { StateChange } from '../../src/transactions/queries/changes.ts';
import { lockStakes, setUsedPower } from '../../src/staking/queries/stakes.ts';
import { moveTransaction } from '../../src/ledger-follower/effects.ts';
import { signingWallet } from '../http/signing-wallet.ts';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { logIn } from '../vaults/logged-in-wallet.ts';
import { voteBody, propose } from './staked-vault.ts';
import { seedStakes } from './seed-stakes.ts';
import { makeStakeFinal, vaultWithTokens } from './vault-with-tokens.ts';
import { errorResponse } from '../stack/error-response.ts';

interface StakeResponse {
  readonly data: {
    readonly id: string;
    readonly scriptAddress: string;
    readonly ownerScript: object;
    readonly transaction: { readonly hash: string };
  };
}
interface VaultResponse {
  readonly data: { readonly allowedActions: readonly { action: string; allowed: boolean; reason?: string }[] };
}

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

const vaultHeldBy = (...wanted: Parameters<typeof vaultWithTokens> extends [unknown, ...infer Rest] ? Rest : never) =>
  vaultWithTokens(service, ...wanted);
const finalize = (stakeId: string) => makeStakeFinal(service, stakeId);

interface TransactionHistory {
  readonly history: readonly { readonly status: string; readonly blockHeight: number | null }[];
}

test('a logged-in wallet stakes and unstakes its own tokens, and nobody else can', async () => {
  const [wallet, stranger] = [signingWallet(), signingWallet()];
  const stakes = `/vaults/${await vaultHeldBy(wallet)}/stakes`;
  const [asOwner, asStranger] = [await logIn(service, wallet), await logIn(service, stranger)];
  const staking = { walletAddress: wallet.address, amount: 12 };
  expect(await service.api.post(stakes, staking, { key: asOwner.key })).toMatchObject({ status: 403 });
  expect(await service.api.post(stakes, staking, asStranger)).toMatchObject({ status: 403 });
  const staked = await service.api.post<StakeResponse>(stakes, { amount: 12 }, asOwner);
  expect(staked).toMatchObject({
    status: 201,
    body: { data: { wallet: wallet.address, transaction: { requiredSigners: [wallet.keyHash] } } },
  });
  const { scriptAddress: address, ownerScript } = staked.body.data;
  expect(ownerScript).toMatchObject({ address, cbor: expect.any(String), slot: expect.any(Number) });
  const path = `/stakes/${staked.body.data.id}`;
  expect(await service.api.get(path)).toMatchObject({ body: { data: { ownerScript } } });
  expect(await service.api.get(stakes)).toMatchObject({ body: { data: { stakes: [{ ownerScript }] } } });
  await finalize(staked.body.data.id);
  expect(await service.api.del(path, undefined, asStranger)).toMatchObject(
    errorResponse(403, 'INSUFFICIENT_PERMISSIONS'),
  );
  expect(await service.api.del(path, undefined, { key: asOwner.key })).toMatchObject({ status: 403 });
  expect(await service.api.get(path, asStranger)).toMatchObject({ status: 200, body: { data: { votingPower: 12 } } });
  expect(await service.api.del(path, undefined, asOwner)).toMatchObject({
    status: 200,
    body: { data: { votingPower: 0 } },
  });
  const countRows = await service.sql.run<{ action: string; actor_id: string }>`select action, actor_id
      from audit_log where action like 'STAKE%' and actor_id = ${wallet.address} order by at, id`;
  expect(countRows.map(({ action }) => action)).toEqual(['STAKE_STARTED', 'STAKE_RETURN_STARTED']);
});

test.each([
  ['DRAFT', 'VAULT_NOT_LOCKED'],
  ['ACTIVE', 'VAULT_NOT_LOCKED'],
])('staking in a vault that is %s is refused with %s', async (status, code) => {
  const wallet = newWallet();
  const id = await vaultHeldBy(wallet, status);
  const staking = { walletAddress: wallet.address, amount: 1 };
  expect(await service.api.post(`/vaults/${id}/stakes`, staking)).toMatchObject(errorResponse(400, code));
  const { allowedActions } = (await service.api.get<VaultResponse>(`/vaults/${id}`)).body.data;
  expect(allowedActions.find(({ action }) => action === 'stake')).toMatchObject({ allowed: false, reason: code });
});

test('a vault whose liquidation is decided accepts no new stakes and still returns existing ones', async () => {
  const wallet = newWallet();
  const vaultId = await vaultHeldBy(wallet);
  const staking = { walletAddress: wallet.address, amount: 100 };
  const { id } = (await service.api.post<StakeResponse>(`/vaults/${vaultId}/stakes`, staking)).body.data;
  await finalize(id);
  await service.sql.run`update vaults set failed_because = 'liquidated' where id = ${vaultId}`;
  expect(await service.api.post(`/vaults/${vaultId}/stakes`, staking)).toMatchObject(
    errorResponse(400, 'VAULT_ALREADY_ENDED'),
  );
  expect(await service.api.del(`/stakes/${id}`)).toMatchObject({ status: 200 });
});

test('staking more than the wallet holds, or tokens in an open transaction, is refused with ASSET_NOT_IN_WALLET', async () => {
  const wallet = newWallet();
  const stakes = `/vaults/${await vaultHeldBy(wallet)}/stakes`;
  const staking = { walletAddress: wallet.address, amount: '5000.000001' };
  expect(await service.api.post(stakes, staking)).toMatchObject(
    errorResponse(400, 'ASSET_NOT_IN_WALLET', { wallet: wallet.address }),
  );
  expect(await service.api.post(stakes, { ...staking, amount: 5000 })).toMatchObject({ status: 201 });
  expect(await service.api.post(stakes, { ...staking, amount: 1 })).toMatchObject(
    errorResponse(400, 'ASSET_NOT_IN_WALLET'),
  );
});

test('the stakes of a wallet are listed, whatever the case of its address', async () => {
  const wallet = newWallet();
  const stakes = `/vaults/${await vaultHeldBy(wallet)}/stakes`;
  const made = await service.api.post<StakeResponse>(stakes, { walletAddress: wallet.address, amount: 100 });
  expect(await service.api.get(`${stakes}?wallet=${wallet.address}&status=active`)).toMatchObject({
    body: { data: { stakes: [{ id: made.body.data.id }] }, metadata: { pagination: { total: 1 } } },
  });
  expect(await service.api.get(`${stakes}?wallet=${wallet.address.toUpperCase()}`)).toMatchObject({
    body: { metadata: { pagination: { total: 1 } } },
  });
  expect(await service.api.get(`${stakes}?wallet=nobody`)).toMatchObject({ body: { data: { stakes: [] } } });
});

test('a holder of a private vault’s tokens can stake them and then read the vault; others get 404', async () => {
  const [wallet, stranger] = [signingWallet(), signingWallet()];
  const id = await vaultHeldBy(wallet, 'LOCKED', 'PRIVATE');
  const [asHolder, asStranger] = [await logIn(service, wallet), await logIn(service, stranger)];
  const missing = errorResponse(404, 'VAULT_NOT_FOUND');
  expect(await service.api.get(`/vaults/${id}`, asHolder)).toMatchObject(missing);
  expect(await service.api.post(`/vaults/${id}/stakes`, { amount: 1 }, asStranger)).toMatchObject(missing);
  const staked = await service.api.post<StakeResponse>(`/vaults/${id}/stakes`, { amount: 1 }, asHolder);
  expect(staked.status).toBe(201);
  expect(await service.api.get(`/vaults/${id}`, asHolder)).toMatchObject({ status: 200 });
  const path = `/stakes/${staked.body.data.id}`;
  expect(await service.api.get(path, asHolder)).toMatchObject({ status: 200 });
  const unknown = errorResponse(404, 'STAKE_NOT_FOUND');
  expect(await service.api.get(path, asStranger)).toMatchObject(unknown);
  expect(await service.api.del(path, undefined, asStranger)).toMatchObject(unknown);
  const votingPowerAs = (session: typeof asHolder) =>
    service.api.get(`/wallets/${wallet.address}/voting-power`, session);
  expect(await votingPowerAs(asHolder)).toMatchObject({
    body: { data: { powers: [{ vaultId: id, staked: 1 }] } },
  });
  expect(await votingPowerAs(asStranger)).toMatchObject({ body: { data: { powers: [] } } });
});

test('a used stake that is rolled back stays locked without power, and is released once its transaction has expired', async () => {
  const wallet = newWallet();
  const vaultId = await vaultHeldBy(wallet);
  const staking = { walletAddress: wallet.address, amount: 100 };
  const { id, transaction } = (await service.api.post<StakeResponse>(`/vaults/${vaultId}/stakes`, staking)).body.data;
  const read = async () => (await service.api.get<{ data: object }>(`/stakes/${id}`)).body.data;
  await changeState(transaction.hash, { to: 'confirmed', block: { height: 5, hash: 'a block' } });
  expect(await read()).toMatchObject({ status: 'ACTIVE', votingPower: 0 });
  await changeState(transaction.hash, { to: 'final' });
  await service.db.transaction().execute(async (tx) => {
    const [stake] = await lockStakes(tx, [id]);
    const context = { tx, ids: { next: randomUUID }, now: now() };
    await setUsedPower(context, stake!, { usedPower: baseUnits(7_000_000n), lockedUntil: now() });
  });
  expect(await read()).toMatchObject({ status: 'LOCKED', votingPower: 100, usedPower: 7 });

  await changeState(transaction.hash, { to: 'submitted', direction: 'rollback', block: null });
  expect(await read()).toMatchObject({ status: 'LOCKED', votingPower: 0, usedPower: 0 });
  expect(await service.api.del(`/stakes/${id}`)).toMatchObject(errorResponse(400, 'STAKE_LOCKED'));
  await changeState(transaction.hash, { to: 'expired', reason: 'a test' });
  expect(await read()).toMatchObject({ status: 'RELEASED', releaseReason: 'expired' });
  expect(await service.api.get(`/vaults/${vaultId}/stakes`)).toMatchObject({ body: { data: { stakes: [] } } });
  const { history } = (await service.api.get<{ data: TransactionHistory }>(`/transactions/${transaction.hash}`)).body
    .data;
  expect(history.map(({ status, blockHeight }) => [status, blockHeight])).toEqual([
    ['awaiting_signatures', null],
    ['confirmed', 5],
    ['final', 5],
    ['submitted', null],
    ['expired', null],
  ]);
});

test('a stake that is final again after a rollback has the same power and usage as before', async () => {
  const [wallet, proposer] = [newWallet(), newWallet()];
  const vaultId = await vaultHeldBy(wallet);
  await seedStakes(
    service.sql,
    vaultId,
    [{ wallet: proposer.address, tokens: 100_000 }],
    new Date(Date.now() - 60_000),
  );
  const staking = { walletAddress: wallet.address, amount: 100 };
  const { id, transaction } = (await service.api.post<StakeResponse>(`/vaults/${vaultId}/stakes`, staking)).body.data;
  const land = async () => {
    await changeState(transaction.hash, { to: 'confirmed', block: { height: 5, hash: 'a block' } });
    await changeState(transaction.hash, { to: 'final' });
  };
  await land();
  const proposalId = await propose(service, vaultId, proposer.address);
  const vote = await service.api.post(`/proposals/${proposalId}/votes`, voteBody(wallet.address, 7, 'yes'));
  expect(vote.status).toBe(200);
  const read = async () => (await service.api.get<{ data: object }>(`/stakes/${id}`)).body.data;
  expect(await read()).toMatchObject({ status: 'LOCKED', votingPower: 100, usedPower: 7 });

  await changeState(transaction.hash, { to: 'submitted', direction: 'rollback', block: null });
  expect(await read()).toMatchObject({ status: 'LOCKED', votingPower: 0, usedPower: 0 });
  await land();
  expect(await read()).toMatchObject({ status: 'LOCKED', votingPower: 100, usedPower: 7 });
  const proposal = await service.api.get(`/proposals/${proposalId}`);
  expect(proposal).toMatchObject({ body: { data: { eligiblePowerBaseUnits: '100100000000' } } });
  const changed = await service.api.post(`/proposals/${proposalId}/votes`, voteBody(wallet.address, 9, 'no'));
  expect(changed).toMatchObject({ status: 200 });
});

test('a stake whose return is rolled back is ACTIVE again, and has power again once the return has expired', async () => {
  const wallet = newWallet();
  const vaultId = await vaultHeldBy(wallet);
  const staking = { walletAddress: wallet.address, amount: 100 };
  const { id } = (await service.api.post<StakeResponse>(`/vaults/${vaultId}/stakes`, staking)).body.data;
  await finalize(id);
  const read = async () => (await service.api.get<{ data: object }>(`/stakes/${id}`)).body.data;
  const { hash } = (await service.api.del<StakeResponse>(`/stakes/${id}`)).body.data.transaction;
  await changeState(hash, { to: 'confirmed', block: { height: 5, hash: 'a block' } });
  expect(await read()).toMatchObject({ status: 'RELEASED', transactions: { unstakeHash: hash } });
  await changeState(hash, { to: 'submitted', direction: 'rollback', block: null });
  expect(await read()).toMatchObject({ status: 'ACTIVE', votingPower: 0, releaseReason: null });
  await changeState(hash, { to: 'expired', reason: 'a test' });
  expect(await read()).toMatchObject({ status: 'ACTIVE', votingPower: 100, allowedActions: [{ allowed: true }] });
});

test('an unknown stake is refused with STAKE_NOT_FOUND', async () => {
  const path = '/stakes/01890a5d-ac96-774b-bcce-b302099a8057';
  expect(await service.api.get(path)).toMatchObject(errorResponse(404, 'STAKE_NOT_FOUND'));
  expect(await service.api.del(path)).toMatchObject(errorResponse(404, 'STAKE_NOT_FOUND'));
});

test.each([
  ['/vaults/nonsense/stakes', 'vaultId'],
  ['/stakes/nonsense', 'stakeId'],
  ['/wallets/nonsense/voting-power', 'address'],
])('the path %s is refused with an error that names %s', async (path, field) => {
  expect(await service.api.get(path)).toMatchObject({
    status: 400,
    body: { error: { details: { errors: [{ field }] } } },
  });
});

const now = () => instant(Date.now());

/** Changes the state of a transaction as the ledger follower does. */
async function changeState(hash: string, change: StateChange): Promise<void> {
  const ids = createIds({ clock: { now }, random: randomBytes });
  await service.db.transaction().execute(async (tx) => {
    await moveTransaction({ tx, ids, now: now() }, (await findTransactionByHash(tx, hash))!, change);
  });
}
