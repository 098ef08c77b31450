import { expect, test } from '@jest/globals';
import { AlgorithmId, CBORValue, Label, Labels } from '@emurgo/cardano-message-signing-nodejs';
import {
  Address,
  BaseAddress,
  Credential,
  EnterpriseAddress,
  ScriptHash,
} from '@emurgo/cardano-serialization-lib-nodejs';
import { publicKeyOf, signData, type SignOptions, signingWallet } from '../../../test/http/signing-wallet.ts';
import { verifyDataSignature } from './data-signature.ts';

const payload = '00112233445566778899aabbccddeeff:1700000000000';
const wallet = signingWallet();
const stranger = signingWallet();
const paid = { keyHash: wallet.keyHash };

/** Verifies what `wallet` signs for `address`, unless something is said to be different. */
function verified(address: string, options: SignOptions = {}, different: { payload?: string; key?: string } = {}) {
  const signed = wallet.signData(address, payload, options);
  return verifyDataSignature({ address, payload, ...signed, ...different }, 0);
}

test('the payment key proves base and enterprise addresses; the stake key proves a stake address', () => {
  expect(verified(wallet.address)).toEqual(paid);
  expect(verified(wallet.enterprise)).toEqual(paid);
  expect(verified(wallet.reward)).toEqual({ keyHash: wallet.stakeKeyHash });
});

test('a payload may be hashed or any text, and its unsigned hash flag is ignored', () => {
  expect(verified(wallet.address, { hashed: true })).toEqual(paid);
  const text = 'Grüße ₳ 🏛';
  const signed = wallet.signData(wallet.address, text);
  expect(verifyDataSignature({ address: wallet.address, payload: text, ...signed }, 0)).toEqual(paid);
  const denied = wallet.signData(wallet.address, payload, { hashed: true });
  const honest = '66686173686564f5';
  expect(denied.signature).toContain(honest);
  const signature = denied.signature.replace(honest, '66686173686564f4');
  expect(verifyDataSignature({ address: wallet.address, payload, ...denied, signature }, 0)).toEqual(paid);
});

test('an address may be in upper case but not in mixed case', () => {
  const { address } = wallet;
  const signed = wallet.signData(address, payload);
  expect(verifyDataSignature({ address: address.toUpperCase(), payload, ...signed }, 0)).toEqual(paid);
  expect(verifyDataSignature({ address: address.replace('addr', 'Addr'), payload, ...signed }, 0)).toBe(
    'not_a_key_address',
  );
});

test('another message, another address and a forged signature prove nothing', () => {
  expect(verified(wallet.address, {}, { payload: `${payload}0` })).toBe('other_payload');
  expect(verified(wallet.address, { hashed: true }, { payload: `${payload}0` })).toBe('other_payload');
  const signed = wallet.signData(wallet.address, payload);
  expect(verifyDataSignature({ address: stranger.address, payload, ...signed }, 0)).toBe('other_address');
  const signature = signed.signature.replace(/..$/, (last) => (last === '00' ? '01' : '00'));
  expect(verifyDataSignature({ address: wallet.address, payload, ...signed, signature }, 0)).toBe('forged');
});

test('an attacker cannot claim the address of a victim', () => {
  const attack = { with: stranger.payment };
  expect(verified(wallet.address, attack)).toBe('other_key');
  expect(verified(wallet.address, attack, { key: publicKeyOf(wallet.payment) })).toBe('forged');
  expect(verified(wallet.address, {}, { key: publicKeyOf(stranger.payment) })).toBe('other_key');
});

test('the payment key and the stake key of an address cannot replace each other', () => {
  expect(verified(wallet.address, { with: wallet.stake })).toBe('other_key');
  expect(verified(wallet.reward, { with: wallet.payment })).toBe('other_key');
  const glued = signingWallet({ payment: wallet.payment, stake: stranger.stake });
  const signed = signData(stranger.stake, Address.from_bech32(glued.address).to_bytes(), payload);
  expect(verifyDataSignature({ address: glued.address, payload, ...signed }, 0)).toBe('other_key');
});

test('a signature for one address is refused for another address of the same key', () => {
  expect(verified(wallet.address, { header: wallet.enterprise })).toBe('other_address');
  expect(verified(wallet.enterprise, { header: wallet.address })).toBe('other_address');
  expect(verified(wallet.address, { header: wallet.reward, with: wallet.stake })).toBe('other_address');
});

test('an address of another network is refused, and so is its signature for the same keys on this network', () => {
  const mainnet = signingWallet({ network: 1, payment: wallet.payment, stake: wallet.stake });
  const signed = mainnet.signData(mainnet.address, payload);
  expect(verifyDataSignature({ address: mainnet.address, payload, ...signed }, 0)).toBe('wrong_network');
  expect(verifyDataSignature({ address: mainnet.address, payload, ...signed }, 1)).toEqual(paid);
  expect(verifyDataSignature({ address: wallet.address, payload, ...signed }, 0)).toBe('other_address');
});

test('a script address is refused, whoever signs', () => {
  const script = Credential.from_scripthash(ScriptHash.from_hex(wallet.keyHash));
  const key = Credential.from_keyhash(wallet.stake.to_public().hash());
  for (const address of [EnterpriseAddress.new(0, script).to_address(), BaseAddress.new(0, script, key).to_address()]) {
    const signed = signData(wallet.payment, address.to_bytes(), payload);
    const claim = { address: address.to_bech32(), payload, ...signed };
    expect(verifyDataSignature(claim, 0)).toBe('not_a_key_address');
  }
});

test('only EdDSA with an Ed25519 key is accepted', () => {
  expect(verified(wallet.address, { algorithm: AlgorithmId.ChaCha20Poly1305 })).toBe('not_eddsa');
  const key = publicKeyOf(wallet.payment);
  const [kty, alg, crv] = ['0101', '0327', '2006'];
  expect(key.startsWith(`a4${kty}${alg}${crv}`)).toBe(true);
  const x = key.slice(14);
  for (const other of [`a40102${alg}${crv}${x}`, `a4${kty}0326${crv}${x}`, `a4${kty}${alg}2004${x}`]) {
    expect(verified(wallet.address, {}, { key: other })).toBe('not_eddsa');
  }
  for (const less of [`a3${alg}${crv}${x}`, `a3${kty}${crv}${x}`, `a3${kty}${alg}${x}`]) {
    expect(verified(wallet.address, {}, { key: less })).toBe('not_eddsa');
  }
  expect(verified(wallet.address, {}, { key: `a3${kty}${alg}${crv}` })).toBe('other_key');
});

const bytes = (text: string) => CBORValue.new_bytes(Buffer.from(text));
const critical = Labels.new();
critical.add(Label.new_text('address'));

test.each<[string, SignOptions['change'], unknown]>([
  [
    'an extra signed one is ignored',
    ({ signed }) => {
      signed.set_header(Label.new_text('x'), bytes('x'));
    },
    paid,
  ],
  [
    'an extra unsigned one is ignored',
    ({ unsigned }) => {
      unsigned.set_header(Label.new_text('x'), bytes('x'));
    },
    paid,
  ],
  [
    'a key id alone is no contradiction',
    ({ signed }) => {
      signed.set_key_id(Buffer.from('kid'));
    },
    paid,
  ],
  [
    'a critical one is refused',
    ({ signed }) => {
      signed.set_criticality(critical);
    },
    'critical_header',
  ],
  [
    'an unsigned address is refused',
    ({ unsigned }) => {
      unsigned.set_header(Label.new_text('address'), bytes('x'));
    },
    'unsigned_header',
  ],
  [
    'an unsigned algorithm is refused',
    ({ unsigned }) => {
      unsigned.set_algorithm_id(Label.from_algorithm_id(AlgorithmId.EdDSA));
    },
    'unsigned_header',
  ],
  [
    'an address that is text is refused',
    ({ signed }) => {
      signed.set_header(Label.new_text('address'), CBORValue.new_text(wallet.address));
    },
    'other_address',
  ],
])('of headers: %s', (_what, change, outcome) => {
  expect(verified(wallet.address, { ...(change && { change }) })).toEqual(outcome);
});

test('a message without algorithm or without address proves nothing', () => {
  const message = (protectedHeaders: string) =>
    `84${protectedHeaders}a05818${Buffer.from('x'.repeat(24)).toString('hex')}5840${'00'.repeat(64)}`;
  const key = publicKeyOf(wallet.payment);
  const verify = (signature: string) => verifyDataSignature({ address: wallet.address, payload, signature, key }, 0);
  expect(verify(message('40'))).toBe('malformed');
  expect(verify(message('41a0'))).toBe('not_eddsa');
  expect(verify(message('43a10127'))).toBe('other_address');
});

test('key ids that contradict each other are refused', () => {
  const key = publicKeyOf(wallet.payment).replace(/^a40101/, 'a501010243' + Buffer.from('kid').toString('hex'));
  const naming = (id: string): SignOptions => ({
    change: ({ signed }) => {
      signed.set_key_id(Buffer.from(id));
    },
  });
  expect(verified(wallet.address, naming('kid'), { key })).toEqual(paid);
  expect(verified(wallet.address, naming('dik'), { key })).toBe('other_key');
  expect(verified(wallet.address, {}, { key })).toEqual(paid);
});

test.each([
  ['nothing', ''],
  ['text', 'Invalid'],
  ['half a byte', '0'],
  ['hex after 0x', '0x00'],
  ['null', 'f6'],
  ['an empty list', '80'],
  ['a list that ends early', '84'],
  ['an empty map', 'a0'],
  ['a message without payload', '8440a0f640'],
  ['a message without a signature', '8440a04040'],
  ['deep nesting', `${'81'.repeat(50_000)}00`],
])('garbage is refused as a message and as a key: %s', (_what, garbage) => {
  const { address } = wallet;
  const signed = wallet.signData(address, payload);
  expect(verifyDataSignature({ address, payload, ...signed, signature: garbage }, 0)).toBe('malformed');
  expect(verifyDataSignature({ address, payload, ...signed, key: garbage }, 0)).toMatch(/malformed|not_eddsa/);
  expect(verified(address)).toEqual(paid);
});

test('a message or key with one changed byte proves nothing, except in the unsigned header', () => {
  const { address } = wallet;
  const signed = wallet.signData(address, payload);
  const unsigned = signed.signature.indexOf('a166686173686564') / 2;
  const isUnsigned = (at: number) => at >= unsigned && at <= unsigned + 8;
  const changed = (hex: string, at: number, by: number) => {
    const bytes = Buffer.from(hex, 'hex');
    bytes[at]! ^= by;
    return bytes.toString('hex');
  };
  const outcome = (part: 'signature' | 'key', at: number, by: number) =>
    verifyDataSignature({ address, payload, ...signed, [part]: changed(signed[part], at, by) }, 0);
  for (const part of ['signature', 'key'] as const) {
    const places = Array.from({ length: signed[part].length / 2 }, (_, at) => at);
    for (const at of places.filter((place) => part === 'key' || !isUnsigned(place))) {
      for (const by of [1, 2, 0x20, 0x80, 0xff]) expect(outcome(part, at, by)).toEqual(expect.any(String));
    }
  }
});

test('an invalid address is refused', () => {
  const signed = wallet.signData(wallet.address, payload);
  for (const address of ['', 'addr_test1', `${wallet.address}q`, '0x00', wallet.keyHash]) {
    expect(verifyDataSignature({ address, payload, ...signed }, 0)).toBe('not_a_key_address');
  }
});
