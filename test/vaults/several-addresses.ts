import { randomBytes } from 'node:crypto';
import {
  Address,
  AssetName,
  Assets,
  BigNum,
  MultiAsset,
  ScriptHash,
  TransactionHash,
  TransactionInput,
  TransactionOutput,
  TransactionUnspentOutput,
  Value,
} from '@emurgo/cardano-serialization-lib-nodejs';
import { entropyToMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { deriveKeys } from '../../src/chain/keys/keys.ts';
import { witnessSetOf } from '../../src/chain/keys/witness-set.ts';
import type { Utxo } from '../../src/chain/transaction.ts';

/** A wallet with several payment keys and one stake key, as HD wallets are. */
export function walletOfSeveralAddresses(count: number) {
  const keys = deriveKeys(entropyToMnemonic(randomBytes(32), wordlist), 0);
  const stakeKeyHash = keys.policyKey(0).keyHash;
  const payment = Array.from({ length: count }, (_, index) => keys.vaultKey(index));
  return {
    addresses: payment.map(({ keyHash }) => Address.from_hex(`00${keyHash}${stakeKeyHash}`).to_bech32()),
    keyHashes: payment.map(({ keyHash }) => keyHash),
    stakeAddress: Address.from_hex(`e0${stakeKeyHash}`).to_bech32(),
    /** A CIP-30 witness set of those keys that the transaction names. */
    sign: (unsigned: string, required: readonly string[]) =>
      witnessSetOf(
        unsigned,
        payment.filter(({ keyHash }) => required.includes(keyHash)),
      ),
  };
}

/** A UTxO as `getUtxos` of CIP-30 returns it. */
export function walletUtxoHex({ txHash, index, address, lovelace, assets }: Utxo): string {
  const value = Value.new(BigNum.from_str(lovelace.toString()));
  const held = MultiAsset.new();
  for (const [unit, quantity] of assets) {
    const policy = ScriptHash.from_hex(unit.slice(0, 56));
    const names = held.get(policy) ?? Assets.new();
    names.insert(AssetName.new(Buffer.from(unit.slice(56), 'hex')), BigNum.from_str(quantity.toString()));
    held.insert(policy, names);
  }
  if (assets.size > 0) value.set_multiasset(held);
  return TransactionUnspentOutput.new(
    TransactionInput.new(TransactionHash.from_hex(txHash), index),
    TransactionOutput.new(Address.from_bech32(address), value),
  ).to_hex();
}
