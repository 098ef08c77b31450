import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { deriveKeys } from '../../src/cardano/keys/keys.ts';
import { witnessSetOf, signTransaction, witnessesOf } from '../../src/cardano/keys/witnesses.ts';
import { recordStatements } from '../store/recorded-statements.ts';
import { type ApiService, apiService, newWallet } from './api-service.ts';
import { walletOfSeveralAddresses } from './several-addresses.ts';
import { errorResponse } from '../stack/error-response.ts';
import { createVault } from '../vault-lifecycle/vault-requests.ts';

interface Invested {
  data: { transaction: { hash: string; unsignedTx: string; expiresAt: string } };
}

let service: ApiService;
let path: string;
beforeAll(async () => {
  service = await apiService();
  const vaultId = await createVault(service, newWallet().address);
  path = `/vaults/${vaultId}`;
});
afterAll(() => service[Symbol.asyncDispose]());

const invest = async (wallet: { address: string }, lovelace = 5_000_000) => {
  const answer = await service.api.post<Invested>(`${path}/investments`, { walletAddress: wallet.address, lovelace });
  expect(answer.status).toBe(201);
  return answer.body.data.transaction;
};
const post = (hash: string, witnessSet: string) => service.api.post(`/transactions/${hash}/witnesses`, { witnessSet });

test('a witness for another transaction of the same wallet has a different error than a forged one', async () => {
  const wallet = await service.fundedWallet({}, '30000000');
  await service.ledger.faucet({ address: wallet.address, lovelace: '40000000' });
  await service.ledger.mine();
  const [one, other] = [await invest(wallet), await invest(wallet, 6_000_000)];
  expect(await post(one.hash, wallet.sign(other.unsignedTx))).toMatchObject(
    errorResponse(400, 'WITNESS_FOR_ANOTHER_TRANSACTION'),
  );

  const genuine = wallet.sign(one.unsignedTx);
  const forged = genuine.slice(0, -8) + (genuine.endsWith('00000000') ? '11111111' : '00000000');
  expect(await post(one.hash, forged)).toMatchObject(errorResponse(400, 'INVALID_SIGNATURE'));
  expect(await post(one.hash, newWallet().sign(one.unsignedTx))).toMatchObject(
    errorResponse(400, 'WITNESS_NOT_REQUIRED'),
  );
  for (const nonsense of ['zz', 'a0', '00', 'ff'.repeat(50), genuine.slice(2)]) {
    expect(await post(one.hash, nonsense)).toMatchObject(errorResponse(400, 'INVALID_CBOR'));
  }
  const rows = await service.sql.run`select state, witnesses from chain_transactions where hash = ${one.hash}`;
  expect(rows).toEqual([{ state: 'awaiting_signatures', witnesses: [] }]);
  expect(await post(one.hash, genuine)).toMatchObject({ status: 200, body: { data: { status: 'pending' } } });
});

test('a witness set with the stake key too, a whole signed transaction and a single witness are signatures of a wallet', async () => {
  const wallet = walletOfSeveralAddresses(1);
  const [address = ''] = wallet.addresses;
  const keys = [wallet.stakeKey, ...wallet.paymentKeys];
  const forms: ((unsigned: string) => string)[] = [
    (unsigned) => witnessSetOf(unsigned, keys),
    (unsigned) => signTransaction(unsigned, keys),
    (unsigned) => {
      const [{ publicKey, signature } = { publicKey: '', signature: '' }] = witnessesOf(unsigned, wallet.paymentKeys);
      return `8200825820${publicKey}5840${signature}`;
    },
  ];
  for (const form of forms) {
    await service.ledger.faucet({ address, lovelace: '20000000' });
    await service.ledger.mine();
    const { hash, unsignedTx: unsigned } = await invest({ address });
    expect(await post(hash, form(unsigned))).toMatchObject({
      status: 200,
      body: { data: { status: 'pending', multiSignature: { signers: wallet.keyHashes } } },
    });
  }
});

test('a witness set with 90 unknown keys causes one lookup of other transactions', async () => {
  const wallet = await service.fundedWallet();
  const { hash, unsignedTx: unsigned } = await invest(wallet);
  const keys = deriveKeys(`${'abandon '.repeat(23)}art`, 0);
  const crowd = witnessSetOf(
    unsigned,
    Array.from({ length: 90 }, (_, index) => keys.vaultKey(index)),
  );
  using recorded = recordStatements();
  expect(await post(hash, crowd)).toMatchObject(errorResponse(400, 'WITNESS_NOT_REQUIRED'));
  expect(recorded.statements().filter(({ text }) => text.includes('required_signers'))).toHaveLength(1);
});

test('a witness is refused for a transaction that has expired, does not exist or awaits no signature', async () => {
  const wallet = await service.fundedWallet();
  const { hash, unsignedTx: unsigned } = await invest(wallet);
  await service.advance(30 * 60 + 1);
  expect(await post(hash, wallet.sign(unsigned))).toMatchObject(errorResponse(400, 'TRANSACTION_EXPIRED'));
  const unknown = await post('ab'.repeat(32), wallet.sign(unsigned));
  expect(unknown).toMatchObject(errorResponse(404, 'TRANSACTION_NOT_FOUND'));
  const rows = await service.sql.run<{ hash: string }>`select hash from chain_transactions
      where kind = 'create_vault'`;
  const own = rows[0]?.hash ?? '';
  expect(await post(own, wallet.sign(unsigned))).toMatchObject(
    errorResponse(400, 'TRANSACTION_NOT_AWAITING_SIGNATURES'),
  );
});

test('an investment below the minimum or above the wallet balance is refused', async () => {
  const wallet = await service.fundedWallet();
  const tooSmall = { walletAddress: wallet.address, lovelace: 4_999_999 };
  expect(await service.api.post(`${path}/investments`, tooSmall)).toMatchObject(
    errorResponse(400, 'INVESTMENT_TOO_SMALL', { errors: [{ field: 'lovelace' }] }),
  );
  const tooMuch = { walletAddress: wallet.address, lovelace: '100000000' };
  expect(await service.api.post(`${path}/investments`, tooMuch)).toMatchObject(
    errorResponse(400, 'INSUFFICIENT_FUNDS', { wallet: wallet.address }),
  );
});

test('coins in an open transaction are not used again, and the refusal names that transaction, its status and its expiry', async () => {
  const wallet = await service.fundedWallet();
  const { hash: transactionHash, expiresAt, unsignedTx: unsigned } = await invest(wallet);
  const again = () => service.api.post(`${path}/investments`, { walletAddress: wallet.address, lovelace: 5_000_000 });
  const heldIn = (status: string) =>
    errorResponse(400, 'INSUFFICIENT_FUNDS', { heldBy: [{ transactionHash, status, expiresAt }] });
  expect(await again()).toMatchObject(heldIn('awaiting_signatures'));
  await post(transactionHash, wallet.sign(unsigned));
  expect(await again()).toMatchObject(heldIn('pending'));
});

test('investments can be listed by wallet', async () => {
  const [wallet, other] = [await service.fundedWallet(), await service.fundedWallet()];
  await Promise.all([invest(wallet), invest(other)]);
  const listed = await service.api.get(`${path}/investments?walletAddress=${wallet.address}`);
  expect(listed.body).toMatchObject({
    data: { investments: [{ walletAddress: wallet.address }] },
    metadata: { pagination: { total: 1 } },
  });
});
