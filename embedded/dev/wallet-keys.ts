import {
  BaseAddress,
  Bip32PrivateKey,
  Credential,
  type PrivateKey,
  RewardAddress,
  TransactionHash,
  TransactionWitnessSet,
  Vkeywitnesses,
  make_vkey_witness,
} from '@emurgo/cardano-serialization-lib-nodejs';
import { mnemonicToEntropy } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import type { NetworkId } from '../../src/cardano/transaction.ts';
import { withWasm, toErrors } from '../../src/cardano/wasm.ts';
import { readTransactionBody } from '../../src/cardano/cbor/transaction-body.ts';
import { fieldError } from '../../src/platform/errors.ts';
import { messageSignature } from './message-signature.ts';

/** A simulated wallet with the CIP-30 functions of a browser wallet. */
export interface SimulatedWallet {
  readonly address: string;
  readonly stakeAddress: string;
  /** CIP-30 signTx, partial: a witness set with this wallet's signatures only. Raises INVALID_CBOR at `tx`. */
  signTransaction(tx: string): string;
  /** CIP-30 signData with the payment key; payload, signature and key in hex. */
  signData(payload: string): { signature: string; key: string };
}

/** The mnemonic of all development wallets, on every machine: it is not a secret. */
const mnemonic = `${'test '.repeat(23)}sauce`;

const hard = (index: number) => index + 0x8000_0000;

/** The simulated wallets by account, CIP-1852: payment key `m/1852'/1815'/i'/0/0`, stake key `m/1852'/1815'/i'/2/0`. */
export function simulatedWallets(networkId: NetworkId): (account: number) => SimulatedWallet {
  const root = toErrors(() =>
    withWasm(Bip32PrivateKey.from_bip39_entropy(mnemonicToEntropy(mnemonic, wordlist), new Uint8Array()), (key) =>
      key.to_bech32(),
    ),
  );
  return (account) => {
    const payment = derive(root, [hard(1852), hard(1815), hard(account), 0, 0]);
    const stake = derive(root, [hard(1852), hard(1815), hard(account), 2, 0]);
    return toErrors(() => walletOf(payment, stake, networkId));
  };
}

function walletOf(payment: string, stake: string, networkId: NetworkId): SimulatedWallet {
  const paymentCredential = Credential.from_keyhash(keyHash(payment));
  const stakeCredential = Credential.from_keyhash(keyHash(stake));
  const base = withWasm(BaseAddress.new(networkId, paymentCredential, stakeCredential), (made) => made.to_address());
  const stakeKeyHash = keyHash(stake).to_hex();
  const addressHex = base.to_hex();
  return {
    address: base.to_bech32(),
    stakeAddress: RewardAddress.new(networkId, stakeCredential).to_address().to_bech32(),
    signTransaction(tx) {
      const body = readTransactionBody(tx);
      if (!body) throw fieldError('INVALID_CBOR', 'tx', 'This is not the CBOR of a transaction.');
      const keys = body.requiredSigners.includes(stakeKeyHash) ? [payment, stake] : [payment];
      return witnessSet(body.hash, keys);
    },
    signData: (payload) => withKey(payment, (key) => messageSignature(key, addressHex, payload)),
  };
}

function witnessSet(hash: string, secrets: readonly string[]): string {
  const witnesses = Vkeywitnesses.new();
  for (const secret of secrets) {
    withKey(secret, (key) => witnesses.add(make_vkey_witness(TransactionHash.from_hex(hash), key)));
  }
  return withWasm(TransactionWitnessSet.new(), (set) => {
    set.set_vkeys(witnesses);
    return set.to_hex();
  });
}

function derive(root: string, path: readonly number[]): string {
  return path.reduce(
    (parent, index) =>
      withWasm(Bip32PrivateKey.from_bech32(parent), (key) => withWasm(key.derive(index), (child) => child.to_bech32())),
    root,
  );
}

function withKey<Result>(secret: string, use: (key: PrivateKey) => Result): Result {
  return toErrors(() =>
    withWasm(Bip32PrivateKey.from_bech32(secret), (extended) => withWasm(extended.to_raw_key(), use)),
  );
}

function keyHash(secret: string) {
  return withKey(secret, (key) => withWasm(key.to_public(), (publicKey) => publicKey.hash()));
}
