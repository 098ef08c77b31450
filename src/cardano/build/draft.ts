import {
  AuxiliaryData,
  FixedTransaction,
  hash_auxiliary_data,
  Transaction,
  TransactionOutput,
  Value,
} from '@emurgo/cardano-serialization-lib-nodejs';
import { nameOf, policyOf } from '../../assets/rules/asset.ts';
import { cslMetadata, type Metadata } from './metadata.ts';
import type { ProtocolParameters } from '../ledger/parameters.ts';
import { cslScript, type NativeScript, scriptHash } from '../scripts/native-script.ts';
import type { Holding, KeyHash, Unit, Utxo, BuiltTransaction } from '../transaction.ts';
import { withWasm, toErrors } from '../wasm.ts';
import { type Lovelace, lovelace } from '../../platform/units/money.ts';

/** Plutus data in the detailed JSON form of the serialization library. */
export type Datum =
  | { readonly int: number }
  | { readonly bytes: string }
  | { readonly map: readonly { readonly k: Datum; readonly v: Datum }[] }
  | { readonly constructor: number; readonly fields: readonly Datum[] };

export interface DraftInput {
  readonly utxo: Utxo;
  /** For an input at a script address. */
  readonly script?: NativeScript;
}

export interface DraftOutput extends Holding {
  /** Stored inline. */
  readonly datum?: Datum;
}

interface Mint {
  readonly policy: NativeScript;
  /** Quantity by asset name in hex. */
  readonly quantities: ReadonlyMap<string, bigint>;
}

/** A complete transaction without its fee. */
export interface TransactionDraft {
  readonly inputs: readonly DraftInput[];
  readonly outputs: readonly DraftOutput[];
  readonly mint?: Mint;
  readonly metadata?: Metadata;
  readonly ttlSlot: number;
  readonly validFrom?: number;
  /** Every key that will sign; the fee covers exactly these witnesses. */
  readonly signers: readonly KeyHash[];
  /** Signers that the body lists in `required_signers`: the ledger refuses the transaction without their signatures, even if the scripts would accept it. */
  readonly enforcedSigners?: readonly KeyHash[];
}

/** Unsigned CBOR hex of a draft with this fee. Equal drafts give equal bytes. */
export function encodeDraft(draft: TransactionDraft, fee: bigint): string {
  return toErrors(() => {
    const auxiliary = draft.metadata ? cslAuxiliary(draft.metadata) : null;
    const content = {
      body: body(draft, fee, auxiliary),
      witness_set: { native_scripts: nativeScripts(draft) },
      is_valid: true,
      auxiliary_data: auxiliary,
    };
    return withWasm(Transaction.from_json(JSON.stringify(content)), (transaction) => transaction.to_hex());
  });
}

/** Transaction id: the hash of the body bytes as they are. Witnesses do not change it. */
export function transactionHash(cbor: string): string {
  return toErrors(() =>
    withWasm(FixedTransaction.from_hex(cbor), (fixed) => withWasm(fixed.transaction_hash(), (hash) => hash.to_hex())),
  );
}

/** An output in the JSON form that the serialization library reads. */
export function cslOutput({ address, lovelace, assets, datum }: DraftOutput): object {
  return {
    address,
    amount: cslValue({ lovelace, assets }),
    plutus_data: datum ? { Data: JSON.stringify(datum) } : null,
    script_ref: null,
  };
}

/** A value in the JSON form that the serialization library reads. */
function cslValue({ lovelace, assets }: Pick<Holding, 'lovelace' | 'assets'>): object {
  return { coin: lovelace.toString(), multiasset: assets.size === 0 ? null : byPolicy(assets) };
}

function body(draft: TransactionDraft, fee: bigint, auxiliary: object | null): object {
  const { inputs, outputs, mint, ttlSlot, validFrom, enforcedSigners = [] } = draft;
  return {
    inputs: inputs.map(({ utxo }) => ({ transaction_id: utxo.txHash, index: utxo.index })),
    outputs: outputs.map(cslOutput),
    fee: fee.toString(),
    ttl: ttlSlot.toString(),
    auxiliary_data_hash: auxiliary ? auxiliaryHash(auxiliary) : null,
    validity_start_interval: validFrom?.toString() ?? null,
    mint: mint ? [[scriptHash(mint.policy), quantityTexts(mint.quantities)]] : null,
    required_signers: enforcedSigners.length > 0 ? enforcedSigners : null,
  };
}

function byPolicy(assets: ReadonlyMap<Unit, bigint>): Record<string, Record<string, string>> {
  const policies: Record<string, Record<string, string>> = {};
  for (const [unit, quantity] of assets) (policies[policyOf(unit)] ??= {})[nameOf(unit)] = quantity.toString();
  return policies;
}

function quantityTexts(quantities: ReadonlyMap<string, bigint>): Record<string, string> {
  return Object.fromEntries([...quantities].map(([name, quantity]) => [name, quantity.toString()]));
}

/** Each script once, however many inputs it guards: the ledger refuses superfluous scripts. */
function nativeScripts({ inputs, mint }: TransactionDraft): object[] | null {
  const scripts = inputs.flatMap(({ script }) => script ?? []).concat(mint?.policy ?? []);
  const unique = new Map(scripts.map((script) => [JSON.stringify(script), script]));
  return unique.size === 0 ? null : [...unique.values()].map(cslScript);
}

function cslAuxiliary(metadata: Metadata): object {
  return {
    metadata: cslMetadata(metadata),
    native_scripts: null,
    plutus_scripts: null,
    prefer_alonzo_format: false,
  };
}

function auxiliaryHash(auxiliary: object): string {
  return withWasm(AuxiliaryData.from_json(JSON.stringify(auxiliary)), (data) =>
    withWasm(hash_auxiliary_data(data), (hash) => hash.to_hex()),
  );
}

/** Covers a byte that is miscounted here: a transaction that is refused after it was signed would cost far more. */
const FEE_MARGIN = 1_000n;
/** Any amount from 65,536 to 4,294,967,295 takes the same five bytes; every fee and every min-ADA is in that range. */
const FIVE_BYTE_AMOUNT = 1_000_000n;
/** Bytes that an input adds to a transaction at least. */
export const INPUT_BYTES = 36;
/** Bytes that the ledger adds for an entry of the UTxO set (Babbage ledger specification). */
const UTXO_OVERHEAD = 160;

/** The minimum fee of a draft with the witnesses of all its signers, plus a small margin. */
export function minFee(parameters: ProtocolParameters, draft: TransactionDraft): Lovelace {
  const size = encodeDraft(draft, FIVE_BYTE_AMOUNT).length / 2 + witnessBytes(draft.signers.length);
  return lovelace(parameters.minFeeA * BigInt(size) + parameters.minFeeB + FEE_MARGIN);
}

/** Bytes of a built transaction with all its witnesses. */
export function signedSize({ cbor, requiredSigners }: Pick<BuiltTransaction, 'cbor' | 'requiredSigners'>): number {
  return cbor.length / 2 + witnessBytes(requiredSigners.length);
}

/** The minimum lovelace that this output must hold (min-ADA). */
export function minAda(parameters: ProtocolParameters, output: DraftOutput): Lovelace {
  const coin = output.lovelace > FIVE_BYTE_AMOUNT ? output.lovelace : lovelace(FIVE_BYTE_AMOUNT);
  const size = toErrors(() =>
    withWasm(TransactionOutput.from_json(JSON.stringify(cslOutput({ ...output, lovelace: coin }))), byteLength),
  );
  return lovelace(parameters.coinsPerUtxoByte * BigInt(UTXO_OVERHEAD + size));
}

/** Size of a value in bytes, which the ledger limits to `maxValueSize`. */
export function valueSize(value: Pick<Holding, 'lovelace' | 'assets'>): number {
  return toErrors(() => withWasm(Value.from_json(JSON.stringify(cslValue(value))), byteLength));
}

function byteLength(encoded: { to_bytes(): Uint8Array }): number {
  return encoded.to_bytes().length;
}

/** Size of a set of vkey witnesses: map key, set tag, list head, and 101 bytes for each key with its signature. */
function witnessBytes(signers: number): number {
  if (signers === 0) return 0;
  return 4 + (signers < 24 ? 1 : 2) + 101 * signers;
}
