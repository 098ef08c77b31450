import {
  type DecodedTransaction,
  decodeOutputs,
  decodeTransaction,
} from '../../../justification/decode-transaction.ts';
import { areInputsOf, areOutputsOf } from '../../../justification/landed.ts';
import type { ChainTransaction } from '../../../store/chain-transactions.ts';
import { UnreadableRow } from '../../../store/found-row.ts';
import { readUntrusted } from '../../../justification/read-untrusted.ts';

/**
 * What the bytes of a transaction say; null where no transaction of the platform has such bytes. Throws UnreadableRow unless a transaction
 * has the bytes, inputs and outputs of its hash. Postgres cannot compute hashes, so that whoever writes a row can give it that of any
 * transaction on the ledger.
 */
export function readOwnBytes({ id, hash, unsignedCbor, inputs, outputs }: ChainTransaction): DecodedTransaction | null {
  const decoded = readUntrusted(unsignedCbor, decodeTransaction);
  const landed = decoded ?? readUntrusted(unsignedCbor, decodeOutputs);
  const hasItsInputs = decoded === null || areInputsOf(decoded, inputs);
  if (landed?.hash === hash && areOutputsOf(landed, outputs) && hasItsInputs) return decoded;
  throw new UnreadableRow('chain_transactions', id, 'its bytes are of another transaction');
}
