import { TransactionOutput, Value } from '@emurgo/cardano-serialization-lib-nodejs';
import { type Lovelace, lovelace } from '../../domain/units/money.ts';
import { cslOutput, cslValue, type Draft, type DraftOutput, encode } from './draft.ts';
import type { ProtocolParameters } from '../ledger/parameters.ts';
import type { BuiltTransaction, Holding } from '../transaction.ts';
import { withWasm, toErrors } from '../wasm.ts';

/** Insurance against a byte miscounted here: far cheaper than a transaction that is refused after it was signed. */
const FEE_MARGIN = 1_000n;
/** Any amount from 65,536 to 4,294,967,295 takes the same five bytes; no fee and no min-ADA is outside. */
const FIVE_BYTE_AMOUNT = 1_000_000n;
/** What the ledger counts for an output's place in the UTxO set (Babbage ledger specification). */
const UTXO_OVERHEAD = 160;

/** The least fee of a draft once all its signers have signed, plus a small margin. */
export function feeOf(parameters: ProtocolParameters, draft: Draft): Lovelace {
  const size = encode(draft, FIVE_BYTE_AMOUNT).length / 2 + witnessBytes(draft.signers.length);
  return lovelace(parameters.minFeeA * BigInt(size) + parameters.minFeeB + FEE_MARGIN);
}

/** Bytes of a built transaction with all its witnesses. */
export function signedSize({ cbor, requiredSigners }: Pick<BuiltTransaction, 'cbor' | 'requiredSigners'>): number {
  return cbor.length / 2 + witnessBytes(requiredSigners.length);
}

/** The least lovelace this output must hold. */
export function minAda(parameters: ProtocolParameters, output: DraftOutput): Lovelace {
  const coin = output.lovelace > FIVE_BYTE_AMOUNT ? output.lovelace : lovelace(FIVE_BYTE_AMOUNT);
  const size = toErrors(() =>
    withWasm(TransactionOutput.from_json(JSON.stringify(cslOutput({ ...output, lovelace: coin }))), byteLength),
  );
  return lovelace(parameters.coinsPerUtxoByte * BigInt(UTXO_OVERHEAD + size));
}

/** Bytes of an output's value, which the ledger limits to `maxValueSize`. */
export function valueSize(value: Pick<Holding, 'lovelace' | 'assets'>): number {
  return toErrors(() => withWasm(Value.from_json(JSON.stringify(cslValue(value))), byteLength));
}

function byteLength(encoded: { to_bytes(): Uint8Array }): number {
  return encoded.to_bytes().length;
}

/** A set of vkey witnesses: map key, set tag, list head, and 101 bytes for each key and signature. */
function witnessBytes(signers: number): number {
  if (signers === 0) return 0;
  return 4 + (signers < 24 ? 1 : 2) + 101 * signers;
}
