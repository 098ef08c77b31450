import { randomBytes } from 'node:crypto';
import {
  Address,
  AssetName,
  Assets,
  BigNum,
  ByronAddress,
  MultiAsset,
  NativeScript,
  ScriptHash,
  ScriptRef,
  TimelockStart,
  TransactionHash,
  TransactionInput,
  TransactionOutput,
  TransactionUnspentOutput,
  Value,
} from '@emurgo/cardano-serialization-lib-nodejs';
import { entropyToMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { deriveKeys } from '../../src/cardano/keys/keys.ts';
import { witnessSetOf } from '../../src/cardano/keys/witnesses.ts';
import type { Utxo } from '../../src/cardano/transaction.ts';

/** A wallet with several payment keys and one stake key, as HD wallets are. */
export function walletOfSeveralAddresses(count: number) {
  const keys = deriveKeys(entropyToMnemonic(randomBytes(32), wordlist), 0);
  const stakeKey = keys.policyKey(0);
  const stakeKeyHash = stakeKey.keyHash;
  const payment = Array.from({ length: count }, (_, index) => keys.vaultKey(index));
  return {
    addresses: payment.map(({ keyHash }) => joinedAddress(keyHash, stakeKeyHash)),
    keyHashes: payment.map(({ keyHash }) => keyHash),
    paymentKeys: payment,
    stakeKey,
    stakeAddress: Address.from_hex(`e0${stakeKeyHash}`).to_bech32(),
    /** A CIP-30 witness set of those keys that the transaction names. */
    sign: (unsigned: string, required: readonly string[]) =>
      witnessSetOf(
        unsigned,
        payment.filter(({ keyHash }) => required.includes(keyHash)),
      ),
  };
}

/** The base address of a payment key and a stake key, which may be of two owners. */
export function joinedAddress(paymentKeyHash: string, stakeKeyHash: string): string {
  return Address.from_hex(`00${paymentKeyHash}${stakeKeyHash}`).to_bech32();
}

/** A UTxO as `getUtxos` of CIP-30 returns it. */
export function walletUtxoHex(utxo: Utxo): string {
  return unspentHex(utxo, TransactionOutput.new(Address.from_bech32(utxo.address), valueOf(utxo)));
}

/** As `walletUtxoHex`, with a script that everybody may refer to. */
export function scriptUtxoHex(utxo: Utxo): string {
  const output = TransactionOutput.new(Address.from_bech32(utxo.address), valueOf(utxo));
  const script = NativeScript.new_timelock_start(TimelockStart.new_timelockstart(BigNum.zero()));
  output.set_script_ref(ScriptRef.new_native_script(script));
  return unspentHex(utxo, output);
}

/** As `walletUtxoHex`, at a Byron address. */
export function byronUtxoHex(utxo: Utxo): string {
  const address = ByronAddress.from_base58(BYRON_ADDRESS).to_address();
  return unspentHex(utxo, TransactionOutput.new(address, valueOf(utxo)));
}

const BYRON_ADDRESS = 'Ae2tdPwUPEZFRbyhz3cpfC2CumGzNkFBN2L42rcUc2yjQpEkxDbkPodpMAi';

function valueOf({ lovelace, assets }: Utxo): Value {
  const value = Value.new(BigNum.from_str(lovelace.toString()));
  const held = MultiAsset.new();
  for (const [unit, quantity] of assets) {
    const policy = ScriptHash.from_hex(unit.slice(0, 56));
    const names = held.get(policy) ?? Assets.new();
    names.insert(AssetName.new(Buffer.from(unit.slice(56), 'hex')), BigNum.from_str(quantity.toString()));
    held.insert(policy, names);
  }
  if (assets.size > 0) value.set_multiasset(held);
  return value;
}

function unspentHex({ txHash, index }: Utxo, output: TransactionOutput): string {
  const input = TransactionInput.new(TransactionHash.from_hex(txHash), index);
  return TransactionUnspentOutput.new(input, output).to_hex();
}
