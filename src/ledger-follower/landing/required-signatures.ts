import type { NetworkId } from '../../cardano/transaction.ts';
import type { DecodedTransaction } from '../../signing-policy/decode-transaction.ts';
import { requireJust } from '../../signing-policy/judged.ts';
import { signersOf } from '../../signing-policy/landed.ts';
import type { ChainTransaction } from '../../transactions/queries/chain-transactions.ts';
import { UnreadableRow } from '../../platform/database/decode-rows.ts';
import { findPlatform } from '../../operations/queries/operator-identity.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';
import { keyIndexesOf } from '../../vaults/queries/vault-keys.ts';

/** Where a transaction that has landed is compared with its rows. */
export type LandingContext = TransactionContext & { readonly networkId: NetworkId };

/** A transaction in a block: its row, and its bytes, which have its hash. */
export interface Landed {
  readonly recorded: ChainTransaction;
  readonly transaction: DecodedTransaction;
}

/** Throws TRANSACTION_NOT_JUSTIFIED unless a key of its vault has signed it. */
export async function requireKeyOfVault({ tx }: LandingContext, landed: Landed): Promise<void> {
  const { vaultId } = landed.recorded;
  const keys = vaultId === null ? [] : await keyIndexesOf(tx, vaultId, signersOfLanded(landed));
  requireJust(keys.length > 0, 'no key of its vault has signed it');
}

/** Throws TRANSACTION_NOT_JUSTIFIED unless the operator has signed it. */
export async function requireKeyOfOperator({ tx }: LandingContext, landed: Landed): Promise<void> {
  const key = (await findPlatform(tx))?.operatorKeyHash;
  requireJust(key !== undefined && signersOfLanded(landed).includes(key), 'the operator has not signed it');
}

function signersOfLanded({ recorded: { id, signedCbor }, transaction }: Landed): readonly string[] {
  if (signedCbor === null) throw new UnreadableRow('chain_transactions', id, 'nobody knows who has signed it');
  return signersOf(transaction, signedCbor);
}
