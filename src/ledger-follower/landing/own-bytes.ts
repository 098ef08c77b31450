import { type DecodedTransaction, decodeOutputs, decodeTransaction } from '../../signing-policy/decode-transaction.ts';
import { requireJust } from '../../signing-policy/judged.ts';
import { areInputsOf, areOutputsOf } from '../../signing-policy/landed.ts';
import { landingChecks } from '../../signing-policy/landing-checks.ts';
import type { ChainTransaction } from '../../transactions/queries/chain-transactions.ts';
import { UnreadableRow } from '../../platform/database/decode-rows.ts';
import { readUntrusted } from '../../signing-policy/read-untrusted.ts';

/**
 * What the bytes of a transaction say; null where no transaction of the platform has such bytes. Throws unless a transaction has the bytes,
 * inputs and outputs of its hash: Postgres cannot compute hashes, so that whoever writes a row can give it that of any transaction on the
 * ledger. TRANSACTION_NOT_JUSTIFIED where the api may have recorded it, since vaults wait for what is open, and UnreadableRow where only the
 * worker has: mended, that row still counts.
 */
export function readOwnBytes(recorded: ChainTransaction): DecodedTransaction | null {
  const { id, kind, hash, unsignedCbor, inputs, outputs } = recorded;
  const decoded = readUntrusted(unsignedCbor, decodeTransaction);
  const landed = decoded ?? readUntrusted(unsignedCbor, decodeOutputs);
  const hasItsInputs = decoded === null || areInputsOf(decoded, inputs);
  if (landed?.hash === hash && areOutputsOf(landed, outputs) && hasItsInputs) return decoded;
  const reason = 'its bytes are of another transaction';
  requireJust(landingChecks[kind] === null, reason);
  throw new UnreadableRow('chain_transactions', id, reason);
}
