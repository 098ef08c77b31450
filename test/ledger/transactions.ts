import { createHash } from 'node:crypto';
import {
  Address,
  AssetName,
  Assets,
  AuxiliaryData,
  BigNum,
  Credential,
  EnterpriseAddress,
  FixedTransaction,
  GeneralTransactionMetadata,
  MetadataJsonSchema,
  MultiAsset,
  NativeScript,
  NativeScripts,
  PrivateKey,
  ScriptHash,
  ScriptNOfK,
  ScriptAll,
  ScriptPubkey,
  TimelockExpiry,
  TimelockStart,
  Transaction,
  TransactionBody,
  TransactionHash,
  TransactionInput,
  TransactionInputs,
  TransactionOutput,
  TransactionOutputs,
  TransactionWitnessSet,
  Value,
  encode_json_str_to_metadatum,
  hash_auxiliary_data,
} from '@emurgo/cardano-serialization-lib-nodejs';
import type { TestLedger } from './chain.ts';

export interface Wallet {
  key: PrivateKey;
  address: string;
  mainnetAddress: string;
}

export interface Coin {
  hash: string;
  index: number;
  lovelace: bigint;
}

export interface Draft {
  from: Coin[];
  to: { address: string; lovelace: bigint; assets?: Record<string, bigint> }[];
  signers: PrivateKey[];
  fee?: bigint;
  until?: number;
  since?: number;
  scripts?: NativeScript[];
  metadata?: Record<string, unknown>;
}

/** A fee that is enough for every small transaction in these tests. */
export const FEE = 300_000n;

let wallets = 0;

export function newWallet(): Wallet {
  wallets += 1;
  const key = PrivateKey.from_normal_bytes(createHash('sha256').update(`test wallet ${wallets}`).digest());
  const credential = Credential.from_keyhash(key.to_public().hash());
  const addressOn = (id: number) => EnterpriseAddress.new(id, credential).to_address().to_bech32();
  return { key, address: addressOn(0), mainnetAddress: addressOn(1) };
}

/** A confirmed UTxO of `lovelace` at `address`, from the faucet. */
export async function funded(ledger: TestLedger, address: string, lovelace = 100_000_000n): Promise<Coin> {
  const { body } = await ledger.dev('/faucet', { address, lovelace: String(lovelace) });
  await ledger.mine();
  return { hash: (body as { txHash: string }).txHash, index: 0, lovelace };
}

/** Builds and signs the draft as it is, valid or not. */
export function signed(draft: Draft): { hash: string; cbor: Uint8Array } {
  const auxiliary = auxiliaryOf(draft.metadata);
  const body = bodyOf(draft);
  if (auxiliary) body.set_auxiliary_data_hash(hash_auxiliary_data(auxiliary));
  const witnesses = TransactionWitnessSet.new();
  if (draft.scripts) {
    const scripts = NativeScripts.new();
    for (const script of draft.scripts) scripts.add(script);
    witnesses.set_native_scripts(scripts);
  }
  const transaction = FixedTransaction.from_bytes(Transaction.new(body, witnesses, auxiliary).to_bytes());
  for (const key of draft.signers) transaction.sign_and_add_vkey_signature(key);
  return { hash: transaction.transaction_hash().to_hex(), cbor: transaction.to_bytes() };
}

export function scriptAddress(script: NativeScript): string {
  return EnterpriseAddress.new(0, Credential.from_scripthash(script.hash())).to_address().to_bech32();
}

export function signatureOf(wallet: Wallet): NativeScript {
  return NativeScript.new_script_pubkey(ScriptPubkey.new(wallet.key.to_public().hash()));
}

export function atLeast(count: number, owners: Wallet[]): NativeScript {
  return NativeScript.new_script_n_of_k(ScriptNOfK.new(count, scriptsOf(owners.map(signatureOf))));
}

export function both(...parts: NativeScript[]): NativeScript {
  return NativeScript.new_script_all(ScriptAll.new(scriptsOf(parts)));
}

export function notBefore(slot: number): NativeScript {
  return NativeScript.new_timelock_start(TimelockStart.new_timelockstart(BigNum.from_str(String(slot))));
}

export function notAfter(slot: number): NativeScript {
  return NativeScript.new_timelock_expiry(TimelockExpiry.new_timelockexpiry(BigNum.from_str(String(slot))));
}

function scriptsOf(parts: NativeScript[]): NativeScripts {
  const scripts = NativeScripts.new();
  for (const part of parts) scripts.add(part);
  return scripts;
}

function bodyOf({ from, to, fee = FEE, until, since }: Draft): TransactionBody {
  const inputs = TransactionInputs.new();
  for (const coin of from) inputs.add(TransactionInput.new(TransactionHash.from_hex(coin.hash), coin.index));
  const outputs = TransactionOutputs.new();
  for (const { address, lovelace, assets } of to) {
    outputs.add(TransactionOutput.new(Address.from_bech32(address), valueOf(lovelace, assets)));
  }
  const body = TransactionBody.new_tx_body(inputs, outputs, BigNum.from_str(String(fee)));
  if (until !== undefined) body.set_ttl(BigNum.from_str(String(until)));
  if (since !== undefined) body.set_validity_start_interval_bignum(BigNum.from_str(String(since)));
  return body;
}

function valueOf(lovelace: bigint, assets: Record<string, bigint> = {}): Value {
  const value = Value.new(BigNum.from_str(String(lovelace)));
  const all = MultiAsset.new();
  for (const [unit, quantity] of Object.entries(assets)) {
    const policy = ScriptHash.from_hex(unit.slice(0, 56));
    const names = all.get(policy) ?? Assets.new();
    names.insert(AssetName.new(Buffer.from(unit.slice(56), 'hex')), BigNum.from_str(String(quantity)));
    all.insert(policy, names);
  }
  if (all.len() > 0) value.set_multiasset(all);
  return value;
}

function auxiliaryOf(metadata: Record<string, unknown> | undefined): AuxiliaryData | undefined {
  if (!metadata) return undefined;
  const labels = GeneralTransactionMetadata.new();
  for (const [label, content] of Object.entries(metadata)) {
    const text = JSON.stringify(content);
    labels.insert(BigNum.from_str(label), encode_json_str_to_metadatum(text, MetadataJsonSchema.NoConversions));
  }
  const auxiliary = AuxiliaryData.new();
  auxiliary.set_metadata(labels);
  return auxiliary;
}
