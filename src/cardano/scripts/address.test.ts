import { expect, test } from '@jest/globals';
import { Address, ByronAddress } from '@emurgo/cardano-serialization-lib-nodejs';
import { keys, vault, wallet } from '../../../test/chain/sample-context.ts';
import { keyAddress, parseWalletAddress, readWalletAddress } from './address.ts';

const keyHash = keys.operator.keyHash;
const bech32 = (hex: string) => Address.from_hex(hex).to_bech32();

test('base and enterprise addresses with a payment key are wallets, in upper or lower case', () => {
  for (const address of [wallet(1).address, keys.operator.address, bech32(`20${keyHash}${vault.policyId}`)]) {
    expect(readWalletAddress(address.toUpperCase(), 0)).toMatchObject({ address });
  }
  expect(parseWalletAddress(keys.operator.address, 0)).toEqual({
    address: keys.operator.address,
    paymentKeyHash: keyHash,
  });
});

test.each([
  ['another network', keyAddress(keyHash, 1), 'wrong_network'],
  ['a script', vault.custodyAddress, 'script'],
  ['a stake key', bech32(`e0${keyHash}`), 'stake'],
  ['a pointer', bech32(`40${keyHash}010203`), 'pointer'],
  ['a mixture of cases', `A${keys.operator.address.slice(1)}`, 'malformed'],
  ['a typing error', keys.operator.address.replace(/.$/, 'q'), 'malformed'],
  ['another prefix', Address.from_bech32(keys.operator.address).to_bech32('stake_test'), 'malformed'],
  ['a CIP-30 wallet, in hex,', Address.from_bech32(wallet(1).address).to_hex(), 'hex'],
  ['a CIP-30 wallet without stake key, in hex,', `60${keyHash}`, 'hex'],
  ['nothing', '', 'malformed'],
  ['an Ethereum address', '0x52908400098527886E0F7030069857D2E4169EE7', 'malformed'],
  [
    'Byron',
    ByronAddress.from_base58('Ae2tdPwUPEZFRbyhz3cpfC2CumGzNkFBN2L42rcUc2yjQpEkxDbkPodpMAi').to_base58(),
    'byron',
  ],
])('an address of %s is not a wallet', (_what, address, refusal) => {
  expect(readWalletAddress(address, 0)).toBe(refusal);
});

test('a refusal names the field', () => {
  const refused = () => parseWalletAddress(vault.custodyAddress, 0, 'admin_user.wallet_address');
  expect(refused).toThrow(expect.objectContaining({ code: 'INVALID_ADDRESS' }));
  expect(refused).toThrow(
    expect.objectContaining({ details: { errors: [expect.objectContaining({ field: 'admin_user.wallet_address' })] } }),
  );
  expect(() => parseWalletAddress(keyAddress(keyHash, 1), 0)).toThrow(
    expect.objectContaining({ code: 'WRONG_NETWORK' }),
  );
});
