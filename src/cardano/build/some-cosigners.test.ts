import { Transaction } from '@emurgo/cardano-serialization-lib-nodejs';
import { expect, test } from '@jest/globals';
import {
  context,
  deadlineSlot,
  longUnit,
  payer,
  ttlSlot,
  utxo,
  vault,
  verdict,
  wallet,
} from '../../../test/chain/sample-context.ts';
import { instant } from '../../platform/units/time.ts';
import { lovelace } from '../../platform/units/money.ts';
import { showCosigners } from '../keys/witnesses.ts';
import { scriptAddress } from '../scripts/address.ts';
import { cslScript, type NativeScript } from '../scripts/native-script.ts';
import { custodyScript } from '../scripts/vault-scripts.ts';
import { buildAssetSale } from './execution.ts';
import { transactionHash } from './draft.ts';

const [buyer, first, second, third] = [wallet(1), wallet(2), wallet(3), wallet(4)];
const keyHashes = [first, second, third].map(({ key }) => key.keyHash);
const art = longUnit(1);
const vaultKeyHash = vault.key.keyHash;
const alone = { from: instant(0), fromSlot: deadlineSlot };
const registered = custodyScript({ vaultKeyHash, cosigners: { required: 2, keyHashes, alone } });

/** A sale that names three cosigners of whom two suffice. */
function sellFrom(script: NativeScript) {
  const address = scriptAddress(script, 0);
  return buildAssetSale(context, {
    custody: { address, script, vaultKeyHash, cosigners: keyHashes, allCosign: false },
    utxos: [utxo(address, 1_500_000n, [[art, 1n]])],
    assets: new Map([[art, 1n]]),
    price: lovelace(50_000_000n),
    buyer: payer(buyer, utxo(buyer.address, 90_000_000n)),
    ttlSlot,
  });
}

test.each([
  ['of the vault alone', vault.custody],
  ['that counts registered cosigners too', registered],
])('two of three named cosigners suffice, with a script %s; vault and buyer always have to sign', (_whose, script) => {
  const built = sellFrom(script);
  for (const two of [
    [first, second],
    [first, third],
    [second, third],
    [first, second, third],
  ])
    expect(verdict(built, [vault.key, buyer.key, ...two.map(({ key }) => key)])).toBe('accepted');
  expect(verdict(built, [buyer.key, first.key, second.key])).toBe('MissingVKeyWitnessesUTXOW');
  expect(verdict(built, [vault.key, first.key, second.key])).toBe('MissingVKeyWitnessesUTXOW');
});

test('of registered cosigners the ledger itself refuses one of three', () => {
  expect(verdict(sellFrom(registered), [vault.key, buyer.key, first.key])).toBe('ScriptWitnessNotValidatingUTXOW');
});

test('wallets are shown the cosigners in the same transaction, and the ledger refuses what they are shown', () => {
  const built = sellFrom(vault.custody);
  const cbor = showCosigners(built.cbor, { required: 2, keyHashes });
  expect(transactionHash(cbor)).toBe(built.hash);
  const shown = JSON.parse(Transaction.from_hex(cbor).witness_set().to_json()) as { native_scripts: object[] };
  const cosigning = { atLeast: 2, of: keyHashes.map((sig) => ({ sig })) };
  expect(shown.native_scripts).toEqual([cslScript(vault.custody), cslScript(cosigning)]);
  const signers = [vault.key, buyer.key, first.key, third.key];
  expect(verdict(built, signers)).toBe('accepted');
  expect(verdict({ ...built, cbor }, signers)).toBe('MissingOrExtraneousScriptWitnessesUTXOW');
});
