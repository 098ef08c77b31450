import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readTransactionBody } from '../../src/cardano/cbor/transaction-body.ts';
import { createLedger } from '../../src/cardano/ledger/ledger.ts';
import { keyAddress, scriptAddress } from '../../src/cardano/scripts/address.ts';
import type { Utxo } from '../../src/cardano/transaction.ts';
import { lovelace } from '../../src/platform/units/money.ts';
import { type ApiService, apiService, newWallet } from './api-service.ts';
import { vaultBody } from './create-vault-body.ts';
import {
  byronUtxoHex,
  joinedAddress,
  scriptUtxoHex,
  walletOfSeveralAddresses,
  walletUtxoHex,
} from './several-addresses.ts';
import { errorResponse } from '../stack/error-response.ts';

interface Started {
  readonly data: {
    readonly transaction: {
      readonly hash: string;
      readonly unsignedTx: string;
      readonly requiredSigners: readonly string[];
    };
  };
}

let service: ApiService;
let vaultId: string;
beforeAll(async () => {
  service = await apiService();
  const made = await service.api.post<{ vault_id: string }>('/vaults', vaultBody(newWallet().address));
  vaultId = made.body.vault_id;
});
afterAll(() => service[Symbol.asyncDispose]());

const utxosAt = async (...addresses: string[]): Promise<Utxo[]> => {
  const ledger = createLedger({ baseUrl: `${service.ledger.url}/api/v0`, timeoutMs: 5000 });
  return (await Promise.all(addresses.map((address) => ledger.utxos(address)))).flat();
};

type HdWallet = ReturnType<typeof walletOfSeveralAddresses>;

/** A wallet whose ADA is at its second address, and an NFT at its third. */
async function spreadWallet(name: string): Promise<HdWallet & { policyId: string }> {
  const wallet = walletOfSeveralAddresses(3);
  const [, second = '', third = ''] = wallet.addresses;
  await service.ledger.faucet({ address: second, lovelace: '100000000' });
  const assets = [{ assetNameHex: Buffer.from(name).toString('hex'), quantity: '1' }];
  const { policyId } = await service.ledger.faucet({ address: third, lovelace: '2000000', assets });
  await service.ledger.mine();
  return { ...wallet, policyId };
}

const invest = (body: object) =>
  service.api.post<Started>(`/vaults/${vaultId}/investments`, { lovelace: 5_000_000, ...body });
const sign = ({ transaction }: Started['data'], wallet: Pick<ReturnType<typeof newWallet>, 'sign'>) =>
  service.api.post(`/transactions/${transaction.hash}/witnesses`, { witnessSet: wallet.sign(transaction.unsignedTx) });
const depositNft = ({ addresses, policyId }: HdWallet & { policyId: string }, assetName: string, more: object) =>
  service.api.post<Started>(`/vaults/${vaultId}/deposits`, {
    walletAddress: addresses[0],
    assets: [{ policyId, assetName }],
    ...more,
  });

test('a deposit is paid from the UTxOs that a wallet names, and signed by the keys of those used and by the named address', async () => {
  const wallet = await spreadWallet('Chart');
  const [own = '', ,] = wallet.addresses;
  expect(await depositNft(wallet, 'Chart', {})).toMatchObject({ status: 400 });
  const utxos = (await utxosAt(...wallet.addresses)).map(walletUtxoHex);
  const { status, body } = await depositNft(wallet, 'Chart', { utxos });
  expect({ status, body }).toMatchObject({ status: 201, body: { data: { walletAddress: own } } });
  const { hash, unsignedTx: unsigned, requiredSigners: required } = body.data.transaction;
  expect(required.toSorted()).toEqual(wallet.keyHashes.toSorted());
  // None of its outputs is spent, so a wallet would not sign with its key unless the body named it.
  expect(readTransactionBody(unsigned)?.requiredSigners).toEqual(wallet.keyHashes.slice(0, 1));

  const signWith = (keys: readonly string[]) =>
    service.api.post(`/transactions/${hash}/witnesses`, { witnessSet: wallet.sign(unsigned, keys) });
  expect(await signWith(wallet.keyHashes.slice(1))).toMatchObject({
    body: { data: { status: 'awaiting_signatures' } },
  });
  expect(await signWith(required)).toMatchObject({ status: 200, body: { data: { status: 'pending' } } });
  const rows = await service.sql.run`select added_by from assets`;
  expect(rows).toEqual([{ added_by: own }]);
});

test('an investment is paid from all addresses with the stake key of the wallet', async () => {
  const wallet = await spreadWallet('Sextant');
  const investment = { walletAddress: wallet.addresses[0], stakeAddress: wallet.stakeAddress };
  const { status, body } = await invest(investment);
  expect({ status, body }).toMatchObject({
    status: 201,
    body: { data: { transaction: { requiredSigners: wallet.keyHashes.slice(0, 2) } } },
  });
});

test('coins that a stranger sends to addresses with the stake key of a wallet are not spent while its own suffice', async () => {
  const wallet = walletOfSeveralAddresses(1);
  const [own = ''] = wallet.addresses;
  // More than the service reads of a stake address, and all before the wallet's own.
  for (const keyHash of walletOfSeveralAddresses(101).keyHashes) {
    const address = joinedAddress(keyHash, wallet.stakeKey.keyHash);
    await service.ledger.faucet({ address, lovelace: '500000000' });
  }
  await service.ledger.mine();
  for (let count = 0; count < 2; count += 1) await service.ledger.faucet({ address: own, lovelace: '20000000' });
  await service.ledger.mine();

  for (let attempt = 0; attempt < 2; attempt += 1) {
    const { status, body } = await invest({ walletAddress: own, stakeAddress: wallet.stakeAddress });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { data: { transaction: { requiredSigners: wallet.keyHashes } } },
    });
    const { hash, unsignedTx: unsigned } = body.data.transaction;
    const witnessSet = wallet.sign(unsigned, wallet.keyHashes);
    const signed = await service.api.post(`/transactions/${hash}/witnesses`, { witnessSet });
    expect(signed).toMatchObject({ status: 200, body: { data: { status: 'pending' } } });
  }
});

test('the snake-case operation takes UTxOs and a stake address too', async () => {
  const wallet = await spreadWallet('Compass');
  const asset = { policy_id: wallet.policyId, asset_name: 'Compass', wallet_address: wallet.addresses[0] };
  const added = await service.api.post(`/vaults/${vaultId}/assets`, { ...asset, stake_address: wallet.stakeAddress });
  expect(added).toMatchObject({ status: 201, body: { wallet_address: wallet.addresses[0] } });
});

test('what a wallet names is refused unless the ledger has it with that value', async () => {
  const wallet = await spreadWallet('Anchor');
  const [, second = ''] = wallet.addresses;
  const [real] = await utxosAt(second);
  if (!real) throw new Error('the faucet has paid nothing');
  const tried: [string, code: string][] = [
    [walletUtxoHex({ ...real, lovelace: lovelace(real.lovelace + 1n) }), 'UTXO_NOT_ON_LEDGER'],
    [walletUtxoHex({ ...real, assets: new Map([['ab'.repeat(30), 1n]]) }), 'UTXO_NOT_ON_LEDGER'],
    [walletUtxoHex({ ...real, index: real.index + 7 }), 'UTXO_NOT_ON_LEDGER'],
    [walletUtxoHex({ ...real, txHash: 'cd'.repeat(32) }), 'UTXO_NOT_ON_LEDGER'],
    [walletUtxoHex({ ...real, address: newWallet().address }), 'UTXO_NOT_ON_LEDGER'],
    [walletUtxoHex({ ...real, address: keyAddress('ab'.repeat(28), 1) }), 'WRONG_NETWORK'],
    ['82', 'INVALID_CBOR'],
    ['nonsense', 'INVALID_CBOR'],
  ];
  for (const [hex, code] of tried) {
    const refused = await invest({ walletAddress: wallet.addresses[0], utxos: [walletUtxoHex(real), hex] });
    expect(refused).toMatchObject(errorResponse(400, code, { errors: [{ code, field: 'utxos.1' }] }));
  }
  const both = { utxos: [walletUtxoHex(real)], stakeAddress: wallet.stakeAddress };
  expect(await invest({ walletAddress: wallet.addresses[0], ...both })).toMatchObject({
    body: { error: { details: { errors: [{ field: 'stakeAddress' }] } } },
  });
  expect(await invest(both)).toMatchObject({ status: 400 });
});

test('UTxOs that can never pay are left out, wherever they stand in the list of a wallet', async () => {
  const wallet = await spreadWallet('Sounding');
  const [own = '', second = ''] = wallet.addresses;
  const [real] = await utxosAt(second);
  if (!real) throw new Error('the faucet has paid nothing');
  const script = scriptAddress({ sig: 'ab'.repeat(28) }, 0);
  const unable = [byronUtxoHex(real), walletUtxoHex({ ...real, address: script }), scriptUtxoHex(real)];
  const named = (...utxos: string[]) => invest({ walletAddress: own, utxos });
  const refusedAt = (code: string, field: string) => errorResponse(400, code, { errors: [{ code, field }] });
  expect(await named(...unable)).toMatchObject(refusedAt('INVALID_REQUEST', 'utxos'));
  const changed = walletUtxoHex({ ...real, lovelace: lovelace(real.lovelace + 1n) });
  expect(await named(...unable, changed)).toMatchObject(refusedAt('UTXO_NOT_ON_LEDGER', 'utxos.3'));
  expect(await named(...unable, '82')).toMatchObject(refusedAt('INVALID_CBOR', 'utxos.3'));
  expect(await named(...unable, walletUtxoHex(real))).toMatchObject({ status: 201 });
});

test('naming the UTxOs of somebody else neither keeps them from using these nor asks them to sign', async () => {
  const victim = await service.fundedWallet({}, '9000000');
  const utxos = (await utxosAt(victim.address)).map(walletUtxoHex);
  const stranger = newWallet();
  const named = await invest({ walletAddress: stranger.address, utxos });
  const signers = [stranger.keyHash, victim.keyHash];
  expect(named).toMatchObject({ status: 201, body: { data: { transaction: { requiredSigners: signers } } } });
  const own = await invest({ walletAddress: victim.address });
  expect(own.status).toBe(201);
  const toSign = await service.api.get<{ data: { transactions: { hash: string }[] } }>(
    `/transactions?wallet=${victim.address}&status=awaiting_signatures`,
  );
  // A frontend shows this list to be signed.
  expect(toSign.body.data.transactions.map(({ hash }) => hash)).toEqual([own.body.data.transaction.hash]);
  expect(await sign(named.body.data, stranger)).toMatchObject({ status: 200 });
  expect(await sign(named.body.data, victim)).toMatchObject({ body: { error: { code: 'WALLET_FUNDS_IN_USE' } } });
  expect(await sign(own.body.data, victim)).toMatchObject({ status: 200 });
});

test('naming the NFT of somebody else does not end their own deposit of it', async () => {
  const victim = await service.fundedWallet({ Lantern: '1' });
  const { policyId } = victim;
  const deposit = (walletAddress: string, more: object) =>
    service.api.post<Started>(`/vaults/${vaultId}/deposits`, {
      walletAddress,
      assets: [{ policyId, assetName: 'Lantern' }],
      ...more,
    });
  const utxos = (await utxosAt(victim.address)).map(walletUtxoHex);
  const stranger = newWallet();
  const named = await deposit(stranger.address, { utxos });
  const own = await deposit(victim.address, {});
  expect([named.status, own.status]).toEqual([201, 201]);
  expect(await deposit(newWallet().address, { utxos })).toMatchObject({ status: 400 });

  expect(await sign(named.body.data, stranger)).toMatchObject({ status: 200 });
  expect(await sign(named.body.data, victim)).toMatchObject({ body: { error: { code: 'WALLET_FUNDS_IN_USE' } } });
  expect(await sign(own.body.data, victim)).toMatchObject({ status: 200, body: { data: { status: 'pending' } } });
});

test('an unsigned transaction keeps the UTxOs that its wallet has named', async () => {
  const wallet = await spreadWallet('Rudder');
  const body = { walletAddress: wallet.addresses[0], stakeAddress: wallet.stakeAddress };
  expect((await invest(body)).status).toBe(201);
  expect(await invest(body)).toMatchObject(errorResponse(400, 'INSUFFICIENT_FUNDS'));
});
