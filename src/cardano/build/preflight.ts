import { createRequire } from 'node:module';
import { TransactionInput, TransactionOutput } from '@emurgo/cardano-serialization-lib-nodejs';
import type Scalus from 'scalus';
import type { Emulator } from 'scalus';
import { ServiceError } from '../../platform/errors.ts';
import { refText } from '../../transactions/rules.ts';
import { cslOutput } from './draft.ts';
import { type LedgerRule, refusalText } from '../ledger/ledger-rules.ts';
import type { ChainContext, ProtocolParameters } from '../ledger/parameters.ts';
import type { Utxo } from '../transaction.ts';
import { withWasm, toErrors } from '../wasm.ts';

/** An input, and whether it carries a reference script, for whose bytes the ledger asks a fee that no transaction here pays. */
export interface LedgerInput extends Utxo {
  readonly hasReferenceScript?: boolean;
}

/** A signed transaction, with everything the ledger rules need to check it. */
export interface Candidate {
  readonly signedCbor: string;
  /** Its inputs with what they hold. */
  readonly inputs: readonly LedgerInput[];
  /** The slot in which it is checked. */
  readonly slot: number;
  readonly context: ChainContext;
}

/** The emulator's own parameters, which cannot be changed. */
const emulatorParameters: ProtocolParameters = {
  minFeeA: 44n,
  minFeeB: 155_381n,
  coinsPerUtxoByte: 4_310n,
  maxValueSize: 5_000,
  maxTxSize: 16_384,
};
/** Rules that the emulator cannot check when the network has other parameters. */
const parameterRules: readonly LedgerRule[] = [
  'FeeTooSmallUTxO',
  'BabbageOutputTooSmallUTxO',
  'OutputTooBigUTxO',
  'MaxTxSizeUTxO',
];

/** Checks a signed transaction against the ledger rules before it is sent. */
export function preflight({ signedCbor, inputs, slot, context }: Candidate): void {
  requireNoReferenceScript(inputs);
  const { SlotConfig, Emulator } = ledgerRules();
  const { mainnet, preview } = SlotConfig;
  const emulator = new Emulator(utxoMap(inputs), context.networkId === 1 ? mainnet : preview);
  emulator.setSlot(slot);
  const refusal = refusalBy(emulator, Buffer.from(signedCbor, 'hex'));
  if (refusal === undefined) return;
  const rule = ruleIn(refusal);
  if (rule !== null && parameterRules.includes(rule) && !sameParameters(context.parameters)) return;
  throw broken(rule, refusal);
}

const require = createRequire(import.meta.url);

/** Loaded by the first transaction, because the library takes 80 MB: a process without transactions does not need it. */
function ledgerRules(): typeof Scalus {
  return require('scalus') as typeof Scalus;
}

/** The emulator does not know the fee for reference scripts. */
function requireNoReferenceScript(inputs: readonly LedgerInput[]): void {
  const carrier = inputs.find(({ hasReferenceScript }) => hasReferenceScript);
  if (!carrier) return;
  const reason = `input ${refText(carrier)} carries a reference script, whose bytes have a fee`;
  throw new ServiceError('SECURITY_CONSTRAINTS_NOT_MET', { rule: 'FeeTooSmallUTxO', reason });
}

/** The ledger's rule names, by the words in the emulator's error. */
const ruleNames: readonly (readonly [words: string, rule: LedgerRule])[] = [
  ['Missing inputs', 'BadInputsUTxO'],
  ['Empty transaction inputs', 'InputSetEmptyUTxO'],
  ['Missing key hashes', 'MissingVKeyWitnessesUTXOW'],
  ['Invalid verified signatures', 'InvalidWitnessesUTXOW'],
  ['Invalid native scripts', 'ScriptWitnessNotValidatingUTXOW'],
  ['Missing or extra script hashes', 'MissingOrExtraneousScriptWitnessesUTXOW'],
  ['Value not conserved', 'ValueNotConservedUTxO'],
  ['Fee or collateral', 'FeeTooSmallUTxO'],
  ['Transaction outputs are too small', 'BabbageOutputTooSmallUTxO'],
  ['Transaction outputs exceed', 'OutputTooBigUTxO'],
  ['outside the validity interval', 'OutsideValidityIntervalUTxO'],
  ['Transaction size', 'MaxTxSizeUTxO'],
  ['Wrong network address', 'WrongNetwork'],
  ['Wrong network id', 'WrongNetworkInTxBody'],
  ['auxiliary data hash', 'ConflictingMetadataHash'],
];

function sameParameters({ minFeeA, minFeeB, coinsPerUtxoByte, maxValueSize, maxTxSize }: ProtocolParameters): boolean {
  return (
    minFeeA === emulatorParameters.minFeeA &&
    minFeeB === emulatorParameters.minFeeB &&
    coinsPerUtxoByte === emulatorParameters.coinsPerUtxoByte &&
    maxValueSize === emulatorParameters.maxValueSize &&
    maxTxSize === emulatorParameters.maxTxSize
  );
}

/** Null for a refusal that names no rule which we know. */
function ruleIn(refusal: string): LedgerRule | null {
  return ruleNames.find(([words]) => refusal.includes(words))?.[1] ?? null;
}

/** The emulator's own text is for the log. */
function broken(rule: LedgerRule | null, refusal: string): ServiceError {
  const reason = refusalText(rule === null ? [] : [rule]);
  const options = { cause: new Error(refusal) };
  return new ServiceError('SECURITY_CONSTRAINTS_NOT_MET', { rule: rule ?? 'LedgerFailure', reason }, options);
}

function refusalBy(emulator: Emulator, bytes: Uint8Array): string | undefined {
  try {
    const result = emulator.submitTx(bytes);
    return result.isSuccess ? undefined : (result.error ?? 'refused without a reason');
  } catch (cause) {
    return `not a transaction: ${String(cause)}`; // the emulator throws for bytes it cannot decode
  }
}

function utxoMap(utxos: readonly Utxo[]): Uint8Array {
  const head = Buffer.alloc(3, 0xb9); // a CBOR map with its length in two bytes
  head.writeUInt16BE(utxos.length, 1);
  return toErrors(() => Buffer.concat([head, ...utxos.flatMap((utxo) => [inputBytes(utxo), outputBytes(utxo)])]));
}

function inputBytes({ txHash, index }: Utxo): Uint8Array {
  const input = { transaction_id: txHash, index };
  return withWasm(TransactionInput.from_json(JSON.stringify(input)), (encoded) => encoded.to_bytes());
}

function outputBytes(utxo: Utxo): Uint8Array {
  return withWasm(TransactionOutput.from_json(JSON.stringify(cslOutput(utxo))), (encoded) => encoded.to_bytes());
}
