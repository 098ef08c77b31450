import type { TerminationEnd } from '../../domain/termination/termination-end.ts';
import type { Instant } from '../../domain/units/instant.ts';
import type { Termination } from '../../store/terminations.ts';
import { vaultAssets } from '../../store/vault-assets.ts';
import { isAnySent } from '../../store/vault-transactions.ts';
import type { Vault } from '../../store/vaults.ts';
import type { TerminationContext } from './termination-transactions.ts';

/** Why the claims on a vault are over: their deadline has passed, or nothing of value is left to wait for. Null while neither is the case. */
export async function claimsEnd(
  { db }: Pick<TerminationContext, 'db'>,
  { id }: Pick<Vault, 'id'>,
  { claimDeadline, pot, remainingAssetsTo }: Termination,
  now: Instant,
): Promise<TerminationEnd | null> {
  if (claimDeadline !== null && claimDeadline <= now) return 'claim_deadline';
  if (pot.lovelace > 0n && pot.circulating > 0n) return null;
  // Until they are final, a rollback may bring back what was claimed or sold.
  if (await isAnySent(db, id, ['execute', 'claim'])) return null;
  const unsold = remainingAssetsTo === null && (await vaultAssets(db, id, ['LOCKED'])).length > 0;
  return unsold ? null : 'nothing_left';
}
