import { ServiceError } from '../../../domain/errors.ts';
import { keyWitnessesOf } from '../../../justification/decode-transaction.ts';
import { refText } from '../../../domain/transaction/utxo-ref.ts';
import type { OfVault } from '../../../justification/evidence.ts';
import type { ChainTransaction } from '../../../store/chain-transactions.ts';
import type { EvidenceContext, Gather } from './evidence-context.ts';
import { readUntrusted } from '../read-untrusted.ts';
import { gatherVault } from './vault-evidence.ts';

/** Deposits, what returns them, and what a rotation moves are judged by the scripts on the ledger alone. */
export async function gatherPlaces(context: EvidenceContext, recorded: ChainTransaction): Promise<OfVault> {
  const { vault } = await gatherVault(context, recorded);
  return { vault };
}

/** The ledger says who has signed what strangers sent. Bytes that it does not have, or has of another transaction, are asked for again. */
export const gatherUnsolicited: Gather<'return_unsolicited'> = async (context, recorded) => {
  const { vault, keyHashes } = await gatherVault(context, recorded);
  const own = [context.keys.operator.keyHash, ...keyHashes];
  const foreign = new Set<string>();
  for (const input of recorded.inputs) {
    const bytes = await context.ledger.transactionCbor(input.txHash);
    const made = readUntrusted(bytes, keyWitnessesOf);
    if (bytes === null || (made && made.hash !== input.txHash))
      throw new ServiceError('LEDGER_UNAVAILABLE', { reason: `the bytes of transaction ${input.txHash} are missing` });
    if (made && !made.signers.some((key) => own.includes(key))) foreign.add(refText(input));
  }
  return { vault, foreign };
};
