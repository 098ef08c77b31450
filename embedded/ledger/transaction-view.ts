import { type Address, ByronAddress, FixedTransaction } from '@emurgo/cardano-serialization-lib-nodejs';
import type {
  GeneralTransactionMetadata,
  Mint,
  MintAssets,
  NativeScript,
  ScriptRef,
  TransactionInputs,
  TransactionOutput,
  Value,
} from '@emurgo/cardano-serialization-lib-nodejs';
import { blake2b256 } from '../../src/cardano/blake2b.ts';

/** Quantities by unit; 'lovelace' first, then policy id + asset name in hex. */
export type Amounts = Map<string, bigint>;

/** An output as it is indexed and presented. */
export interface OutputView {
  address: string;
  amounts: Amounts;
  dataHash: string | null;
  inlineDatum: string | null;
  scriptHash: string | null;
  bytes: Uint8Array;
}

/** A reference to an output: transaction hash and index. */
export interface OutputRef {
  hash: string;
  index: number;
}

/** An output with its reference. */
export interface Utxo extends OutputRef {
  output: OutputView;
}

/** The parts of a transaction that the ledger's history needs. */
export interface TransactionView {
  hash: string;
  cbor: Uint8Array;
  inputs: OutputRef[];
  referenceInputs: OutputRef[];
  outputs: OutputView[];
  fee: bigint;
  validFrom: string | null;
  validUntil: string | null;
  mint: Amounts;
  labels: string[];
  certificates: number;
  withdrawals: number;
}

/** Decodes a transaction; throws an Error when the bytes are not one. */
export function viewTransaction(cbor: Uint8Array): TransactionView {
  const transaction = decode(cbor);
  const body = transaction.body();
  return {
    hash: transaction.transaction_hash().to_hex(),
    cbor,
    inputs: refs(body.inputs()),
    referenceInputs: refs(body.reference_inputs()),
    outputs: list(body.outputs()).map(viewOutput),
    fee: BigInt(body.fee().to_str()),
    validFrom: body.validity_start_interval_bignum()?.to_str() ?? null,
    validUntil: body.ttl_bignum()?.to_str() ?? null,
    mint: mintOf(body.mint()),
    labels: labelsOf(transaction.auxiliary_data()?.metadata()),
    certificates: body.certs()?.len() ?? 0,
    withdrawals: body.withdrawals()?.len() ?? 0,
  };
}

/** The metadata of a transaction by label, in CSL's own form; undefined without any. */
export function metadataOf(cbor: Uint8Array): GeneralTransactionMetadata | undefined {
  return decode(cbor).auxiliary_data()?.metadata();
}

/** The native scripts that a transaction was sent with, by hash, in CSL's own form. */
export function nativeScriptsOf(cbor: Uint8Array): Map<string, ReturnType<NativeScript['to_js_value']>> {
  const scripts = decode(cbor).witness_set().native_scripts();
  return new Map((scripts ? list(scripts) : []).map((script) => [script.hash().to_hex(), script.to_js_value()]));
}

/** `<hash>#<index>`. */
export function outputRefText({ hash, index }: OutputRef): string {
  return `${hash}#${index}`;
}

// As wallets show it: bech32, or base58 for a Byron address.
function addressText(address: Address): string {
  return ByronAddress.from_address(address)?.to_base58() ?? address.to_bech32();
}

function decode(cbor: Uint8Array): FixedTransaction {
  try {
    return FixedTransaction.from_bytes(cbor);
  } catch (thrown) {
    // CSL throws plain strings.
    throw new Error(`not a transaction: ${String(thrown)}`, { cause: thrown });
  }
}

function list<T>(items: { len(): number; get(index: number): T }): T[] {
  return Array.from({ length: items.len() }, (_, index) => items.get(index));
}

function refs(inputs: TransactionInputs | undefined): OutputRef[] {
  if (!inputs) return [];
  return list(inputs).map((input) => ({ hash: input.transaction_id().to_hex(), index: input.index() }));
}

function viewOutput(output: TransactionOutput): OutputView {
  const inlineDatum = output.plutus_data()?.to_hex() ?? null;
  return {
    address: addressText(output.address()),
    amounts: amountsOf(output.amount()),
    dataHash: output.data_hash()?.to_hex() ?? datumHash(inlineDatum),
    inlineDatum,
    scriptHash: scriptHashOf(output.script_ref()),
    bytes: output.to_bytes(),
  };
}

/** As Blockfrost, which gives the hash of an inline datum too. */
function datumHash(datum: string | null): string | null {
  return datum === null ? null : Buffer.from(blake2b256(Buffer.from(datum, 'hex'))).toString('hex');
}

function scriptHashOf(script: ScriptRef | undefined): string | null {
  const hash = script?.native_script()?.hash() ?? script?.plutus_script()?.hash();
  return hash?.to_hex() ?? null;
}

function amountsOf(value: Value): Amounts {
  const amounts: Amounts = new Map([['lovelace', BigInt(value.coin().to_str())]]);
  const assets = value.multiasset();
  if (!assets) return amounts;
  for (const policy of list(assets.keys())) {
    const names = assets.get(policy);
    if (!names) continue;
    for (const name of list(names.keys())) {
      const quantity = names.get(name);
      if (quantity) amounts.set(policy.to_hex() + nameHex(name.name()), BigInt(quantity.to_str()));
    }
  }
  return amounts;
}

function mintOf(mint: Mint | undefined): Amounts {
  const amounts: Amounts = new Map();
  for (const policy of mint ? list(mint.keys()) : []) {
    const bundles = mint?.get(policy);
    for (const assets of bundles ? list(bundles) : []) if (assets) addMinted(amounts, policy.to_hex(), assets);
  }
  return amounts;
}

function addMinted(amounts: Amounts, policy: string, assets: MintAssets): void {
  for (const name of list(assets.keys())) {
    const unit = policy + nameHex(name.name());
    amounts.set(unit, (amounts.get(unit) ?? 0n) + BigInt(assets.get(name)?.to_str() ?? '0'));
  }
}

function labelsOf(metadata: GeneralTransactionMetadata | undefined): string[] {
  return metadata ? list(metadata.keys()).map((label) => label.to_str()) : [];
}

function nameHex(name: Uint8Array): string {
  return Buffer.from(name).toString('hex');
}
