import type { NetworkState } from '../cardano/ledger/network-state.ts';
import { preflight } from '../cardano/build/preflight.ts';
import { slotAt } from '../cardano/ledger/slots.ts';
import { isSignatureOf, mergeWitnesses, type Witness } from '../cardano/keys/witnesses.ts';
import { readWitnessSet } from '../cardano/keys/witness-set.ts';
import { verifyWitnesses } from '../cardano/keys/verify-witnesses.ts';
import { ServiceError } from '../platform/errors/errors.ts';
import { signingKeys } from './rules/signatures.ts';
import type { Instant } from '../platform/units/instant.ts';
import type { Transaction } from '../platform/database/database.ts';
import { type ChainTransaction, otherHashesAwaiting } from './queries/chain-transactions.ts';
import type { StoredWitness } from '../platform/database/tables/transactions.ts';

/**
 * The signatures in a witness set, after each was verified to be one that this transaction needs. Throws INVALID_CBOR,
 * WITNESS_FOR_ANOTHER_TRANSACTION when a signature is for another recorded transaction, WITNESS_NOT_REQUIRED and
 * INVALID_SIGNATURE.
 */
export async function verifyWitnessSet(
  tx: Transaction,
  transaction: ChainTransaction,
  witnessSet: string,
): Promise<Witness[]> {
  try {
    return neededSignatures(transaction, witnessSet);
  } catch (refusal) {
    if (!(refusal instanceof ServiceError) || refusal.code === 'INVALID_CBOR') throw refusal;
    const refused = readWitnessSet(witnessSet).find(({ keyHash }) => keyHash === refusal.details?.['keyHash']);
    const signed = refused && (await findOtherSigned(tx, transaction, refused));
    if (signed === undefined) throw refusal;
    throw new ServiceError('WITNESS_FOR_ANOTHER_TRANSACTION', { signed }, { cause: refusal });
  }
}

/** Whether every signature in a witness set is one that this transaction needs. */
export function isSignedByNeeded(transaction: ChainTransaction, witnessSet: string): boolean {
  try {
    neededSignatures(transaction, witnessSet);
    return true;
  } catch (refusal) {
    if (!(refusal instanceof ServiceError)) throw refusal;
    return false;
  }
}

function neededSignatures(transaction: ChainTransaction, witnessSet: string): Witness[] {
  const requiredSigners = signingKeys(transaction).map(({ keyHash }) => keyHash);
  return verifyWitnesses({ ...transaction, requiredSigners }, witnessSet);
}

/** Stored and added witnesses, one for each key; of the same key the stored one. */
export function mergeWitnessLists(stored: readonly StoredWitness[], added: readonly Witness[]): StoredWitness[] {
  return [...new Map([...added, ...stored].map((witness) => [witness.keyHash, witness])).values()];
}

/** Checks a fully signed transaction by the ledger rules at `now`. Throws SECURITY_CONSTRAINTS_NOT_MET. */
export function preflightSigned(
  { unsignedCbor, witnesses, inputs }: ChainTransaction,
  { chain, now }: { chain: NetworkState; now: Instant },
): void {
  const signedCbor = mergeWitnesses(unsignedCbor, witnesses);
  preflight({ signedCbor, inputs, slot: slotAt(chain.anchor, now), context: chain });
}

/** The hash of another recorded transaction that a witness signs. */
async function findOtherSigned(
  tx: Transaction,
  transaction: ChainTransaction,
  witness: Witness,
): Promise<string | undefined> {
  const others = await otherHashesAwaiting(tx, witness.keyHash, transaction);
  return others.find((hash) => isSignatureOf(witness, hash));
}
