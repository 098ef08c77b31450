import { TransactionOutput, Value } from '@emurgo/cardano-serialization-lib-nodejs';
import { type Lovelace, lovelace } from '../../platform/units/money.ts';
import { cslOutput, cslValue, type TransactionDraft, type DraftOutput, encodeDraft } from './draft.ts';
import type { ProtocolParameters } from '../ledger/parameters.ts';
import type { BuiltTransaction, Holding } from '../transaction.ts';
import { withWasm, toErrors } from '../wasm.ts';

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
