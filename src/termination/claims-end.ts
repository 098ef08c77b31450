import { endOfClaims } from './rules/end-of-claims.ts';
import type { TerminationEnd } from './rules/termination-end.ts';
import type { Instant } from '../platform/units/instant.ts';
import type { Db, Transaction } from '../platform/database/database.ts';
import { lockTermination, setEnded, type Termination } from './queries/terminations.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { vaultAssets } from '../assets/queries/vault-assets.ts';
import { isAnySent } from '../transactions/queries/vault-transactions.ts';
import type { Vault } from '../vaults/queries/vaults.ts';
import { publishClaimsChange } from './publish-claims-change.ts';

/** Why the claims on a vault are over, see `endOfClaims`. Null while they are not, or something may still be rolled back into the pot. */
export async function claimsEnd(
  db: Db | Transaction,
  { vaultId, claimDeadline, pot, remainingAssetsTo }: Termination,
  now: Instant,
): Promise<TerminationEnd | null> {
  const hasAssets = (await vaultAssets(db, vaultId, ['LOCKED'])).length > 0;
  const end = endOfClaims({ claimDeadline, pot, hasAssets, namesAssetRecipient: remainingAssetsTo !== null }, now);
  // Until they are final, a rollback may bring back what was claimed or sold.
  if (end === 'nothing_left' && (await isAnySent(db, vaultId, ['execute', 'claim']))) return null;
  return end;
}

/** Ends the claims, unless the price of a sale has come into the pot meanwhile. Returns whether they are over. */
export async function endClaims(context: TransactionContext, { id }: Pick<Vault, 'id'>): Promise<boolean> {
  const termination = await lockTermination(context.tx, id);
  const end = termination && (await claimsEnd(context.tx, termination, context.now));
  if (end) await publishClaimsChange(context, await setEnded(context, id, end), { hash: null });
  return end !== null;
}
