import type { SigningKey } from '../../chain/keys/keys.ts';
import { mergeWitnesses, signTransaction } from '../../chain/keys/witnesses.ts';
import type { ChainTransaction } from '../../store/chain-transactions.ts';
import { storeSigned } from '../../store/transaction-changes.ts';
import { keyIndexesOf } from '../../store/vault-keys.ts';
import type { WorkerContext } from '../worker-context.ts';

type Context = Pick<WorkerContext, 'db' | 'unitOfWork' | 'keys'>;

/** Adds the platform's signatures to those of the wallets, and stores the signed bytes. Returns them as CBOR in hex. */
export async function signRecorded(context: Context, recorded: ChainTransaction): Promise<string> {
  const keys = await signingKeys(context, recorded);
  const merged = mergeWitnesses(recorded.unsignedCbor, recorded.witnesses);
  const signed = keys.length === 0 ? merged : signTransaction(merged, keys);
  await context.unitOfWork(({ tx }) => storeSigned(tx, recorded.id, signed));
  return signed;
}

/** The platform's keys among the required signers. */
async function signingKeys(
  { db, keys }: Context,
  { requiredSigners, platformSigners, vaultId, signer }: ChainTransaction,
): Promise<SigningKey[]> {
  // A signature that is not required would cost a fee that nobody has paid.
  const required = requiredSigners.filter((key) => signer !== 'wallet' || platformSigners.includes(key));
  if (required.length === 0) return [];
  const own: SigningKey[] = [keys.operator];
  if (vaultId !== null) {
    for (const index of await keyIndexesOf(db, vaultId, required))
      own.push(keys.vaultKey(index), keys.policyKey(index));
  }
  return own.filter(({ keyHash }) => required.includes(keyHash));
}
