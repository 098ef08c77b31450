import { expect, test } from '@jest/globals';
import {
  context,
  deadlineSlot,
  depositOf,
  keys,
  longUnit,
  operator,
  openSlot,
  payer,
  ttlSlot,
  utxo,
  vault,
  verdict,
  wallet,
} from '../../../test/chain/sample-context.ts';
import { lovelace } from '../../platform/units/money.ts';
import { buildAddAssets, buildInvest, deliveryDeposits } from './deposits.ts';
import { buildVaultNftMint } from './settlement.ts';
import { buildFanOut, type Payer } from './funding.ts';
import { signedSize } from './draft.ts';
import { vaultNftNameHex } from '../tokens/vault-nft.ts';
import { mergeWitnesses, signTransaction, witnessesOf } from '../keys/witnesses.ts';
import type { Utxo } from '../transaction.ts';

const owner = wallet(1);
const deposits = deliveryDeposits(context.parameters);
const depositAddress = depositOf(owner, 0n).utxo.address;

const addAsset = (from: Payer, quantity = 1n) =>
  buildAddAssets(context, {
    owner: from,
    depositAddress,
    assets: [{ unit: longUnit(1), quantity }],
    deliveryDeposit: deposits.asset,
    ttlSlot,
  });

const createVault = (name: string, ttl = ttlSlot) =>
  buildVaultNftMint(context, {
    operator: operator(10_000_000n),
    contractAddress: vault.custodyAddress,
    policy: vault.policy,
    policyKeyHash: vault.policyKey.keyHash,
    nft: {
      nameHex: vaultNftNameHex(name),
      name,
      description: 'd'.repeat(200),
      properties: { type: 'PUBLIC', supply: '1000000' },
    },
    terms: 'ab'.repeat(32),
    ttlSlot: ttl,
  });

test('an asset reaches its deposit address with its delivery deposit, and everything else returns to the wallet', () => {
  const built = addAsset(
    payer(
      owner,
      utxo(owner.address, 7_000_000n, [
        [longUnit(1), 5n],
        [longUnit(2), 9n],
      ]),
    ),
    2n,
  );

  expect(built.outputs[0]).toMatchObject({ address: depositAddress, lovelace: deposits.asset });
  expect(built.outputs[0]?.assets).toEqual(new Map([[longUnit(1), 2n]]));
  expect(built.outputs[1]).toMatchObject({ address: owner.address, lovelace: 7_000_000n - deposits.asset - built.fee });
  expect(built.outputs[1]?.assets).toEqual(
    new Map([
      [longUnit(1), 3n],
      [longUnit(2), 9n],
    ]),
  );
  expect(built.requiredSigners).toEqual([owner.key.keyHash]);
  expect(verdict(built, [owner.key])).toBe('accepted');
});

test('the fee covers the signed bytes and exceeds the ledger minimum by at most 2,000 lovelace', () => {
  const { minFeeA, minFeeB } = context.parameters;
  for (const built of [
    addAsset(payer(owner, utxo(owner.address, 9_000_000n, [[longUnit(1), 1n]]))),
    createVault('Art'),
  ]) {
    const signers = built.requiredSigners.length === 1 ? [owner.key] : [keys.operator, vault.policyKey];
    const size = signTransaction(built.cbor, signers).length / 2;
    expect(signedSize(built)).toBe(size);
    expect(built.fee - (minFeeA * BigInt(size) + minFeeB)).toBeLessThanOrEqual(2_000n);
    expect(verdict(built, signers)).toBe('accepted');
  }
});

test('a quantity is collected from several UTxOs, and ADA comes from UTxOs without assets first', () => {
  const plain = utxo(owner.address, 4_000_000n);
  const other = utxo(owner.address, 50_000_000n, [[longUnit(9), 1n]]);
  const parts = [
    utxo(owner.address, 1_500_000n, [[longUnit(1), 4n]]),
    utxo(owner.address, 1_500_000n, [[longUnit(1), 6n]]),
  ];
  const built = addAsset(payer(owner, other, ...parts, plain), 10n);

  expect(new Set(built.inputs)).toEqual(new Set([...parts, plain]));
  expect(verdict(built, [owner.key])).toBe('accepted');
});

const stranger = wallet(2);
const ofTwoKeys = (...utxos: readonly Utxo[]): Payer => ({
  ...payer(owner, ...utxos),
  keyOf: ({ address }) => (address === owner.address ? owner : stranger).key.keyHash,
});

test('a wallet pays with its own key while that suffices, even if outputs of another key are larger or hold nothing else', () => {
  const asset = utxo(owner.address, 1_500_000n, [[longUnit(1), 1n]]);
  const ada = utxo(owner.address, 5_000_000n, [[longUnit(3), 1n]]);
  const others = [
    utxo(stranger.address, 500_000_000n),
    utxo(stranger.address, 500_000_000n, [[longUnit(1), 7n]]),
    utxo(stranger.address, 9_000_000n),
  ];
  const built = addAsset(ofTwoKeys(...others, ada, asset));
  expect(new Set(built.inputs)).toEqual(new Set([asset, ada]));
  expect(built.requiredSigners).toEqual([owner.key.keyHash]);
  expect(verdict(built, [owner.key])).toBe('accepted');
});

test('an output of another key pays only for what the own key lacks: the asset, or the ADA', () => {
  const ada = utxo(owner.address, 5_000_000n, [[longUnit(3), 1n]]);
  const other = {
    ada: utxo(stranger.address, 500_000_000n),
    asset: utxo(stranger.address, 1_500_000n, [[longUnit(1), 1n]]),
  };
  const withAda = addAsset(ofTwoKeys(other.ada, other.asset, ada));
  expect(new Set(withAda.inputs)).toEqual(new Set([other.asset, ada]));

  const asset = utxo(owner.address, 1_500_000n, [[longUnit(1), 1n]]);
  const withAsset = addAsset(ofTwoKeys(other.ada, other.asset, asset));
  expect(new Set(withAsset.inputs)).toEqual(new Set([other.ada, asset]));
  for (const built of [withAda, withAsset]) {
    expect(new Set(built.requiredSigners)).toEqual(new Set([owner, stranger].map(({ key }) => key.keyHash)));
    expect(verdict(built, [owner.key, stranger.key])).toBe('accepted');
  }
});

test('a transaction that only other keys pay for is refused by the ledger without the signature of the own key', () => {
  const built = addAsset(ofTwoKeys(utxo(stranger.address, 9_000_000n, [[longUnit(1), 1n]])));
  expect(built.requiredSigners).toEqual([owner, stranger].map(({ key }) => key.keyHash));
  expect(verdict(built, [stranger.key])).toBe('MissingVKeyWitnessesUTXOW');
  expect(verdict(built, [owner.key, stranger.key])).toBe('accepted');
});

test('a wallet whose own outputs are too many for a transaction pays with those of its other keys', () => {
  const gifts = Array.from({ length: 450 }, (_, index) =>
    utxo(owner.address, 1_200_000n, [[longUnit(100 + index), 1n]]),
  );
  const plain = utxo(stranger.address, 500_000_000n);
  const investor = ofTwoKeys(...gifts, plain);
  const amounts = { lovelace: lovelace(200_000_000n), deliveryDeposit: deposits.investment };
  expect(buildInvest(context, { investor, depositAddress, ...amounts, ttlSlot }).inputs).toEqual([plain]);
});

test('small gifts to the own key of a wallet do not keep its other keys from paying what these cannot', () => {
  const gifts = Array.from({ length: 480 }, () => utxo(owner.address, 1_000_000n));
  const plain = [1, 2].map(() => utxo(stranger.address, 2_000_000_000n));
  const investor = ofTwoKeys(...gifts, ...plain);
  const amounts = { lovelace: lovelace(2_500_000_000n), deliveryDeposit: deposits.investment };
  const { inputs } = buildInvest(context, { investor, depositAddress, ...amounts, ttlSlot });
  expect(inputs).toEqual(expect.arrayContaining(plain));
});

test('a wallet to which strangers have sent more of a token than one output can hold still pays', () => {
  const [most, token] = [2n ** 63n - 1n, longUnit(8)];
  const gifts = Array.from({ length: 5 }, () => utxo(owner.address, 1_500_000n, [[token, most]]));
  const own = utxo(owner.address, 50_000_000n, [
    [longUnit(1), 1n],
    [longUnit(2), 1n],
  ]);
  const built = buildInvest(context, {
    investor: payer(owner, own, ...gifts),
    depositAddress,
    lovelace: lovelace(40_000_000n),
    deliveryDeposit: deposits.investment,
    ttlSlot,
  });

  expect(built.inputs).toHaveLength(6);
  const returned = built.outputs.map(({ assets }) => assets.get(token) ?? 0n);
  expect(returned.reduce((sum, quantity) => sum + quantity)).toBe(5n * most);
  expect(verdict(built, [owner.key])).toBe('accepted');
});

test('a wallet that lacks the asset or the ADA is refused before anything is signed', () => {
  const coins = utxo(owner.address, 90_000_000n);
  expect(() => addAsset(payer(owner, coins))).toThrow(expect.objectContaining({ code: 'ASSET_NOT_IN_WALLET' }));
  const poor = payer(owner, utxo(owner.address, 3_500_000n, [[longUnit(1), 1n]]));
  expect(() => addAsset(poor)).toThrow(expect.objectContaining({ code: 'INSUFFICIENT_FUNDS' }));
  expect(() => addAsset(payer(owner))).toThrow(expect.objectContaining({ code: 'ASSET_NOT_IN_WALLET' }));
});

test('an empty wallet, or one with only tiny UTxOs, cannot pay', () => {
  const invest = (...amounts: readonly bigint[]) =>
    buildInvest(context, {
      investor: payer(owner, ...amounts.map((amount) => utxo(owner.address, amount))),
      depositAddress,
      lovelace: lovelace(900_000_000n),
      deliveryDeposit: deposits.investment,
      ttlSlot,
    });
  expect(() => invest()).toThrow(expect.objectContaining({ code: 'INSUFFICIENT_FUNDS' }));
  const dust = Array.from({ length: 1_000 }, () => 1_000_000n);
  expect(() => invest(...dust)).toThrow(
    expect.objectContaining({ code: 'INSUFFICIENT_FUNDS', details: { reason: expect.any(String) } }),
  );
});

test('change below min-ADA is refused instead of being added to the fee', () => {
  const invest = (amount: bigint) =>
    buildInvest(context, {
      investor: payer(owner, utxo(owner.address, amount)),
      depositAddress,
      lovelace: lovelace(5_000_000n),
      deliveryDeposit: deposits.investment,
      ttlSlot,
    });
  const paid = 5_000_000n + deposits.investment;
  expect(() => invest(paid + 800_000n)).toThrow(expect.objectContaining({ code: 'INSUFFICIENT_FUNDS' }));
  const built = invest(paid + 1_200_000n);
  expect(built.outputs[0]?.lovelace).toBe(paid);
  expect(verdict(built, [owner.key])).toBe('accepted');
});

test('a wallet with many assets gets its change in several outputs, none too large for the ledger', () => {
  const held = Array.from({ length: 180 }, (_, number) => [longUnit(number), 10n ** 18n] as const);
  const built = addAsset(payer(owner, utxo(owner.address, 90_000_000n, held)));
  expect(built.outputs.length).toBeGreaterThan(2);
  expect(verdict(built, [owner.key])).toBe('accepted');
});

test('the same UTxOs in any order give the same transaction', () => {
  const utxos = [1n, 2n, 3n, 4n].map((part) => utxo(owner.address, 2_000_000n, [[longUnit(1), part]]));
  const hashes = [utxos, utxos.toReversed()].map((order) => addAsset(payer(owner, ...order), 9n).hash);
  expect(hashes[0]).toBe(hashes[1]);
});

test('a vault is created with one readable NFT at its address, paid by the operator', () => {
  const built = createVault('Vault of Ünusual things with a very long name indeed, longer than any');
  expect(built.outputs[0]).toMatchObject({ address: vault.custodyAddress });
  expect([...(built.outputs[0]?.assets.values() ?? [])]).toEqual([1n]);
  expect(new Set(built.requiredSigners)).toEqual(new Set([keys.operator.keyHash, vault.policyKey.keyHash]));
  expect(verdict(built, [keys.operator, vault.policyKey])).toBe('accepted');
});

test('nobody can mint under a vault’s policy without its key or after its deadline', () => {
  const built = createVault('Art');
  expect(verdict(built, [keys.operator])).toBe('ScriptWitnessNotValidatingUTXOW');
  expect(verdict(createVault('Art', deadlineSlot + 1), [keys.operator, vault.policyKey])).toBe(
    'ScriptWitnessNotValidatingUTXOW',
  );
  expect(verdict(built, [keys.operator, vault.policyKey], ttlSlot)).toBe('OutsideValidityIntervalUTxO');
});

test('operator funds are split into equal UTxOs', () => {
  const built = buildFanOut(context, {
    operator: operator(500_000_000n),
    count: 20,
    lovelace: lovelace(20_000_000n),
    ttlSlot,
  });
  expect(built.outputs.slice(0, 20).map((output) => output.lovelace)).toEqual(Array(20).fill(20_000_000n));
  expect(verdict(built, [keys.operator])).toBe('accepted');
});

test('merging a witness twice, or after another one, changes neither body nor hash', () => {
  const built = createVault('Art');
  const [mine, policy] = witnessesOf(built.cbor, [keys.operator, vault.policyKey]);
  const once = mergeWitnesses(mergeWitnesses(built.cbor, [mine!]), [policy!]);
  expect(mergeWitnesses(once, [mine!, policy!])).toBe(once);
  expect(verdict({ cbor: once, inputs: built.inputs }, [], openSlot)).toBe('accepted');
});

test('who pays with the smallest UTxOs keeps the large ones free, and leaves no change that pays for nothing', () => {
  const nft = utxo(owner.address, 2_000_000n, [[longUnit(1), 1n]]);
  const spent = (coins: readonly bigint[], paysWithSmallest = true) => {
    const from = { ...payer(owner, nft, ...coins.map((coin) => utxo(owner.address, coin))), paysWithSmallest };
    return addAsset(from).inputs.map(({ lovelace: coin }) => Number(coin / 1_000_000n));
  };
  const coins = [90_000_000n, 3_000_000n, 10_000_000n, 2_000_000n, 40_000_000n];
  expect(spent(coins, false)).toEqual([2, 90]);
  expect(spent(coins)).toEqual([2, 10]);
  expect(spent([2_000_000n, 3_000_000n])).toEqual([2, 3]);
});
