import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { workflowsWithTimers } from '../../embedded/dev/due-instants.ts';
import { createLedger, type Ledger } from '../../src/cardano/ledger/ledger.ts';
import type { NetworkState } from '../../src/cardano/ledger/network-state.ts';
import { parseWalletAddress } from '../../src/cardano/scripts/address.ts';
import { ServiceError } from '../../src/platform/errors.ts';
import { anonymous, type Caller } from '../../src/access/rules.ts';
import { wallClock } from '../../src/platform/units/time.ts';
import { apiRoutes } from '../../src/routes.ts';
import { prefetchClaim } from '../../src/termination/claim.ts';
import { prefetchStake } from '../../src/staking/stake.ts';
import { findInputProblem } from '../../src/transactions/add-witnesses.ts';
import { findTransactionByHash } from '../../src/transactions/queries/transactions.ts';
import { findTermination } from '../../src/termination/queries/terminations.ts';
import { signingWallet } from '../http/signing-wallet.ts';
import { until } from '../stack/until.ts';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { logIn } from '../vaults/logged-in-wallet.ts';
import { mutations, type Schema } from '../vaults/schema-mutations.ts';
import { walletOfSeveralAddresses, walletUtxoHex } from '../vaults/several-addresses.ts';
import type { Claim, ClaimResponse } from './attempt-claim.ts';
import { claimClient, refusal } from './claim-client.ts';
import { changeState, countedPot, FLOAT, heldAt, land, recordStake, send, vaultWithPot } from './vault-with-pot.ts';
import { errorResponse } from '../stack/error-response.ts';

interface ErrorBody {
  readonly error: { readonly code: string; readonly details?: { readonly errors?: readonly { field: string }[] } };
}

let service: ApiService;
let client: ReturnType<typeof claimClient>;
beforeAll(async () => {
  service = await apiService();
  client = claimClient(service);
});
afterAll(() => service[Symbol.asyncDispose]());

const ADA = 1_000_000n;
const vaultOf = (...wanted: Parameters<typeof vaultWithPot> extends [unknown, ...infer Rest] ? Rest : never) =>
  vaultWithPot(service, ...wanted);

const setDeadline = (vaultId: string, minutes: number) =>
  service.sql.query("update terminations set claim_deadline = now() + $2 * interval '1 min' where vault_id = $1", [
    vaultId,
    minutes,
  ]);

test('what nobody claims in time goes to whom it was promised: no claim is confirmed after the deadline', async () => {
  const wallet = newWallet();
  const holder = { address: wallet.address, tokens: 10n };
  const { vaultId } = await vaultOf([holder], { outputs: [10n * ADA], unclaimedTo: newWallet().address });
  await setDeadline(vaultId, 10);
  const { transaction } = await client.asked(vaultId, wallet);
  const left = Date.parse(transaction.expiresAt) - Date.now();
  expect(left).toBeGreaterThan(8 * 60_000);
  expect(left).toBeLessThan(10 * 60_000);
  await setDeadline(vaultId, 0);
  expect(await client.ask(vaultId, wallet)).toMatchObject(
    refusal('CLAIMS_CLOSED', { claimDeadline: expect.any(String) }),
  );

  const available = await vaultOf([holder], { outputs: [10n * ADA] });
  await setDeadline(available.vaultId, -10);
  expect(await client.paid(available.vaultId, wallet)).toMatchObject({ payoutLovelace: '10000000' });
});

test('a claim that cannot be paid is refused with what would help', async () => {
  const [wallet, poor] = [newWallet(), newWallet()];
  const holders = [
    { address: wallet.address, tokens: 1_000n },
    { address: poor.address, tokens: 4_000_000n, lovelace: 1_200_000n },
  ];
  const { vaultId } = await vaultOf(holders, { outputs: [8_000n] });
  const amount = (units: bigint) => ({ amount: (Number(units) / 1_000_000).toFixed(6) });
  const missing = { required: '1001', available: '1000', wallet: wallet.address, stakedBaseUnits: '70' };
  await recordStake(service, vaultId, wallet.address, 70n);
  expect(await client.ask(vaultId, wallet, amount(400n))).toMatchObject(
    refusal('CLAIM_TOO_SMALL', { minimumBaseUnits: '501', errors: [{ field: 'amount' }] }),
  );
  expect(await client.ask(vaultId, wallet, amount(1_001n))).toMatchObject(refusal('ASSET_NOT_IN_WALLET', missing));
  expect(await client.ask(vaultId, wallet, amount(4_001_001n))).toMatchObject(
    refusal('CLAIM_EXCEEDS_SUPPLY', { circulatingBaseUnits: '4001000', errors: [{ field: 'amount' }] }),
  );
  expect(await client.ask(vaultId, poor, amount(3_000_000n))).toMatchObject(
    refusal('INSUFFICIENT_FUNDS', { wallet: poor.address }),
  );
  expect(await client.asked(vaultId, wallet)).toMatchObject({ payoutLovelace: '1', stakedBaseUnits: '70' });
  expect(await client.ask(vaultId, newWallet())).toMatchObject(refusal('ASSET_NOT_IN_WALLET'));
  await service.sql.run`update terminations set claims_opened_at = null, claim_deadline = null
      where vault_id = ${vaultId}`;
  expect(await client.ask(vaultId, wallet)).toMatchObject(refusal('CLAIMS_NOT_OPEN'));
});

test('a wallet claims for itself alone, a trusted key for any, and the platform signs for its own tokens', async () => {
  const [wallet, stranger] = [signingWallet(), signingWallet()];
  const platform = service.keys.operator.address;
  const holders = [wallet.address, platform].map((address) => ({ address, tokens: 5n }));
  const { vaultId, ftUnit } = await vaultOf(holders, { outputs: [10n * ADA] });
  const path = `/vaults/${vaultId}/claims`;
  const [asOwner, asStranger] = [await logIn(service, wallet), await logIn(service, stranger)];
  const claiming = { walletAddress: wallet.address };
  expect(await service.api.post(path, claiming, { key: asOwner.key })).toMatchObject({ status: 403 });
  expect(await service.api.post(path, claiming, asStranger)).toMatchObject({ status: 403 });
  expect(await service.api.post(path, {}, asStranger)).toMatchObject(refusal('ASSET_NOT_IN_WALLET'));
  const own = await service.api.post<ClaimResponse>(path, {}, asOwner);
  expect(own).toMatchObject({ status: 201, body: { data: { wallet: wallet.address } } });
  expect(await service.api.get(`${path}/${own.body.data.id}`, asStranger)).toMatchObject({ status: 200 });
  const onBehalf = await client.asked(vaultId, wallet);
  const rows = await service.sql.run<{ metadata: object }>`select metadata from audit_log
      where resource_type = 'claim' and resource_id = ${onBehalf.id}`;
  expect(rows).toMatchObject([{ metadata: { onBehalfOf: wallet.address, vaultId } }]);

  const byPlatform = await service.api.post<ClaimResponse>(path, {});
  expect(byPlatform).toMatchObject({ status: 201, body: { data: { wallet: platform, amountBaseUnits: '5' } } });
  const { hash } = byPlatform.body.data.transaction;
  // It is signed at once, so the next claim spends what it leaves.
  const next = await service.api.post<ClaimResponse>(path, {}, asOwner);
  expect((await findTransactionByHash(service.db, next.body.data.transaction.hash))?.inputs).toContainEqual(
    expect.objectContaining({ txHash: hash, index: 0 }),
  );
  await land(service, hash);
  expect(await heldAt(service, platform, ftUnit)).toMatchObject({ tokens: 0n });
});

test('a holder of a private vault’s tokens claims and then reads the vault; to others it does not exist', async () => {
  const [wallet, stranger] = [signingWallet(), signingWallet()];
  const holder = { address: wallet.address, tokens: 10n };
  const { vaultId } = await vaultOf([holder], { outputs: [10n * ADA], type: 'PRIVATE' });
  const path = `/vaults/${vaultId}/claims`;
  const [asHolder, asStranger] = [await logIn(service, wallet), await logIn(service, stranger)];
  const missing = (code: string) => errorResponse(404, code);
  expect(await service.api.get(path, asHolder)).toMatchObject(missing('VAULT_NOT_FOUND'));
  expect(await service.api.post(path, {}, asStranger)).toMatchObject(missing('VAULT_NOT_FOUND'));
  const claimed = await service.api.post<ClaimResponse>(path, {}, asHolder);
  expect(claimed.status).toBe(201);
  const { id } = claimed.body.data;
  expect(await service.api.get(`${path}/${id}`, asHolder)).toMatchObject({ status: 200 });
  expect(await service.api.get(path, asHolder)).toMatchObject({ body: { data: { claims: [{ id }] } } });
  expect(await service.api.get(`${path}/${id}`, asStranger)).toMatchObject(missing('CLAIM_NOT_FOUND'));
  const other = await vaultOf([holder], { outputs: [10n * ADA] });
  expect(await service.api.get(`/vaults/${other.vaultId}/claims/${id}`)).toMatchObject(missing('CLAIM_NOT_FOUND'));
});

test('a claim from, or a stake in, a hidden vault asks the ledger as much as one of an absent vault', async () => {
  const owner = { address: newWallet().address, tokens: 10n };
  const { vaultId } = await vaultOf([owner], { outputs: [10n * ADA], type: 'PRIVATE' });
  const { address } = newWallet();
  const wallet = parseWalletAddress(address, 0, 'walletAddress');
  const holder = { ...wallet, signer: 'wallet', onBehalfOf: undefined } as const;
  const caller: Caller = { ...anonymous, wallet: address };
  const notFound = new ServiceError('VAULT_NOT_FOUND');
  const askedFor = async (wanted: string) => {
    const asked: string[] = [];
    const real = createLedger({ baseUrl: `${service.ledger.url}/api/v0`, timeoutMs: 5000 });
    const ledger = new Proxy(real, {
      get: (target, name: keyof Ledger) => {
        asked.push(name);
        return Reflect.get(target, name) as unknown;
      },
    });
    const now = () => Promise.resolve(wallClock.now());
    const context = {
      db: service.db,
      ledger,
      networkId: 0,
      readingTime: now,
      networkState: () => Promise.resolve({} as NetworkState),
    } as const;
    await expect(prefetchClaim(context, { vaultId: wanted, caller, holder })).rejects.toThrow(notFound);
    await prefetchStake(context, { vaultId: wanted, caller, staker: holder });
    return asked;
  };
  const asked = ['walletUtxos', 'walletUtxos'];
  expect(await askedFor(vaultId)).toEqual(asked);
  expect(await askedFor('01890a5d-ac96-774b-bcce-b302099a8057')).toEqual(asked);
});

test('tokens at several addresses of a wallet return together, with the signature of each key', async () => {
  const wallet = walletOfSeveralAddresses(3);
  const [first = '', second = '', third = ''] = wallet.addresses;
  const holders = [second, third].map((address) => ({ address, tokens: 5n }));
  const { vaultId, ftUnit } = await vaultOf(holders, { outputs: [10n * ADA] });
  const ledger = createLedger({ baseUrl: `${service.ledger.url}/api/v0`, timeoutMs: 5000 });
  const utxos = (await Promise.all([second, third].map((address) => ledger.utxos(address)))).flat().map(walletUtxoHex);
  const claim = await client.asked(vaultId, { address: first }, { utxos });
  const { hash, unsignedTx, requiredSigners } = claim.transaction;
  expect(claim).toMatchObject({ amountBaseUnits: '10', payoutLovelace: '10000000' });
  expect(requiredSigners).toEqual(expect.arrayContaining(wallet.keyHashes.slice(1)));
  const witnessSet = wallet.sign(unsignedTx, requiredSigners);
  expect(await service.api.post(`/transactions/${hash}/witnesses`, { witnessSet })).toMatchObject({
    body: { data: { status: 'pending' } },
  });
  await land(service, hash);
  expect(await heldAt(service, first, ftUnit)).toMatchObject({ tokens: 0n, outputs: 1 });
  expect(await countedPot(service, vaultId)).toEqual({ lovelace: 0n, circulating: 0n });
});

test('every invalid field of a claim is refused with an error that names the field', async () => {
  const wallet = newWallet();
  const { vaultId } = await vaultOf([{ address: wallet.address, tokens: 10n }], { outputs: [10n * ADA] });
  const sample = { walletAddress: wallet.address, amount: '0.000005' };
  const route = apiRoutes.api.find(({ operationId }) => operationId === 'claim');
  const amounts = ['nonsense', '0', '-1', '1e3', '0.0000001', '99999999999999999999', 0];
  const invalid = [
    ...mutations(z.toJSONSchema(route!.body!, { io: 'input' }) as Schema, sample),
    ...amounts.map((amount) => ({ field: 'amount', body: { ...sample, amount } })),
    { field: 'walletAddress', body: { ...sample, walletAddress: 'nonsense' } },
  ];
  const unexpected: unknown[] = [];
  for (const { field, body } of invalid) {
    const answer = await service.api.post<ErrorBody>(`/vaults/${vaultId}/claims`, body);
    const named = answer.body.error.details?.errors?.some((problem) => problem.field.startsWith(field));
    if (answer.status !== 400 || !named) unexpected.push({ field, body, answer: answer.body });
  }
  expect(unexpected).toEqual([]);
});

test('claims follow each other out of one output of the pot before a block has them, and are confirmed together', async () => {
  const wallets = Array.from({ length: 5 }, newWallet);
  const holders = wallets.map(({ address }, index) => ({ address, tokens: BigInt(index + 1) }));
  const { vaultId, ftUnit, potAddress } = await vaultOf(holders, { outputs: [100n * ADA] });
  const claims: Claim[] = [];
  for (const wallet of wallets) claims.push(await client.signed(vaultId, wallet));
  for (const { transaction } of claims) await send(service, transaction.hash);
  await service.ledger.mine();
  const change = { to: 'confirmed', block: { height: 5, hash: 'a block' } } as const;
  for (const { transaction } of claims) await changeState(service, transaction.hash, change);
  expect(claims.reduce((sum, { payoutLovelace }) => sum + BigInt(payoutLovelace), 0n)).toBeLessThanOrEqual(100n * ADA);
  const { lovelace: left } = await countedPot(service, vaultId);
  expect(await heldAt(service, potAddress, ftUnit)).toMatchObject({ lovelace: left + FLOAT, outputs: 1 });
});

test('a claim out of the change of one that is never confirmed ends with it, and its wallet is paid by another one', async () => {
  const [lost, wallet] = [newWallet(), newWallet()];
  const holders = [lost, wallet].map(({ address }) => ({ address, tokens: 5n }));
  const { vaultId } = await vaultOf(holders, { outputs: [10n * ADA] });
  const parent = await client.signed(vaultId, lost);
  const child = await client.signed(vaultId, wallet);
  const ledger = createLedger({ baseUrl: `${service.ledger.url}/api/v0`, timeoutMs: 5000 });
  const problem = async () => {
    const recorded = (await findTransactionByHash(service.db, child.transaction.hash))!;
    return findInputProblem({ db: service.db, ledger, confirmationDepth: 3 }, recorded);
  };
  expect(await problem()).toMatchObject({ kind: 'not yet' });
  await changeState(service, parent.transaction.hash, { to: 'failed', reason: 'its tokens were spent elsewhere' });
  // This is what ends it when the platform sends it again.
  expect(await problem()).toMatchObject({
    kind: 'spent',
    reason: expect.stringContaining('can never be on the ledger'),
  });
  await changeState(service, child.transaction.hash, { to: 'failed', reason: 'its input can never be on the ledger' });
  expect(await client.paid(vaultId, wallet)).toMatchObject({ payoutLovelace: '5000000' });
  expect(await client.paid(vaultId, lost)).toMatchObject({ payoutLovelace: '5000000' });
  expect(await countedPot(service, vaultId)).toEqual({ lovelace: 0n, circulating: 0n });
});

test('a signed claim that is not confirmed at the last minute keeps the claims open for a day, for a week in all', async () => {
  const wallet = newWallet();
  const holder = { address: wallet.address, tokens: 5n };
  const { vaultId } = await vaultOf([holder], { outputs: [10n * ADA], unclaimedTo: newWallet().address });
  const hoursLeftAfterLoss = async () => {
    const { transaction } = await client.signed(vaultId, wallet);
    await changeState(service, transaction.hash, { to: 'failed', reason: 'its tokens were spent elsewhere' });
    return Math.round(((await findTermination(service.db, vaultId))!.claimDeadline! - Date.now()) / 3_600_000);
  };
  await setDeadline(vaultId, 9);
  expect([await hoursLeftAfterLoss(), await hoursLeftAfterLoss()]).toEqual([24, 24]);
  await setDeadline(vaultId, 9);
  await service.sql.run`update terminations set grace_seconds = 7 * 86400 where vault_id = ${vaultId}`;
  expect(await hoursLeftAfterLoss()).toBe(0);
});

test('the development clock moves only when the workflow of a vault that ends is at rest', async () => {
  const { vaultId } = await vaultOf([{ address: newWallet().address, tokens: 5n }], { outputs: [10n * ADA] });
  const isWatched = async () => (await workflowsWithTimers(service.db, [])).includes(`vault-${vaultId}`);
  await until(isWatched, { what: 'the start of the workflow to be sent' });
  await service.sql.run`update vaults set status = 'TERMINATED', termination_reason = 'liquidated'
      where id = ${vaultId}`;
  expect(await isWatched()).toBe(false);
});
