import { ServiceError } from '../../platform/errors/errors.ts';
import { keyWitnessesOf } from '../decode-transaction.ts';
import type { KeyHash } from '../../cardano/transaction.ts';
import { refText } from '../../transactions/rules/utxo-ref.ts';
import type { OfVault } from '../evidence.ts';
import type { ChainTransaction } from '../../transactions/queries/chain-transactions.ts';
import { assignedKeys } from '../../vaults/queries/vault-keys.ts';
import type { EvidenceContext, Gather } from './evidence-context.ts';
import { readUntrusted } from '../read-untrusted.ts';
import { gatherVault } from './vault-evidence.ts';

/** Deposits, and what returns them, are judged by the scripts on the ledger alone. */
export async function gatherPlaces(context: EvidenceContext, recorded: ChainTransaction): Promise<OfVault> {
  const { vault } = await gatherVault(context, recorded);
  return { vault };
}

/** As `gatherPlaces`. No row says whether the operator deposits. */
export const gatherDeposit: Gather<'add_asset'> = async (context, recorded) => {
  return { ...(await gatherPlaces(context, recorded)), mayDeposit: context.operatorDeposits };
};

/** The ledger says who has signed what strangers sent. Bytes that it does not have, or has of another transaction, are asked for again. */
export const gatherUnsolicited: Gather<'return_unsolicited'> = async (context, recorded) => {
  const { row, vault, keyHashes } = await gatherVault(context, recorded);
  const foreign = new Set<string>();
  for (const input of recorded.inputs) {
    const bytes = await context.ledger.transactionCbor(input.txHash);
    const made = readUntrusted(bytes, keyWitnessesOf);
    if (bytes === null || (made && made.hash !== input.txHash))
      throw new ServiceError('LEDGER_UNAVAILABLE', { reason: `the bytes of transaction ${input.txHash} are missing` });
    if (made && (await isForeign(context, { vaultId: row.id, keyHashes }, made.signers))) foreign.add(refText(input));
  }
  return { vault, foreign };
};

/**
 * Whether a transaction with these signatures is none of the vault's. The operator signs for all vaults: what it has signed is foreign only
 * if the key that spends for another vault has signed it too. A key never changes its vault in Postgres, and is derived again here.
 */
async function isForeign(
  { db, keys }: EvidenceContext,
  { vaultId, keyHashes }: { readonly vaultId: string; readonly keyHashes: readonly KeyHash[] },
  signers: readonly KeyHash[],
): Promise<boolean> {
  const assigned = await assignedKeys(db, signers);
  // A row could leave out a key that the vault had before a rotation.
  if (signers.some((key) => keyHashes.includes(key)) || assigned.some((key) => key.vaultId === vaultId)) return false;
  const ofOthers = assigned.some(({ index }) => signers.includes(keys.vaultKey(index).keyHash));
  return ofOthers || !signers.includes(keys.operator.keyHash);
}
