import type { Unit, Utxo } from '../cardano/transaction.ts';
import { ServiceError } from '../platform/errors/errors.ts';
import type { Caller } from '../access/rules/caller.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { findVault, type Vault } from './queries/vaults.ts';
import type { Actor } from '../access/actor.ts';
import { isReadable } from './vault-access.ts';

/** Who asks for a vault, and for which wallet. */
export interface HolderRequest {
  readonly vaultId: string;
  readonly holder: Pick<Actor, 'address'>;
  readonly caller: Caller;
}

/**
 * The vault, for every caller who may read it and for every wallet that holds its tokens (design D8); `utxos` are the wallet's, as the
 * ledger has them. Throws VAULT_NOT_FOUND.
 */
export async function requireHeldVault(
  { tx }: Pick<TransactionContext, 'tx'>,
  { vaultId, caller, holder }: HolderRequest,
  utxos: readonly Utxo[],
): Promise<Vault> {
  const vault = await findVault(tx, vaultId);
  if (!vault) throw new ServiceError('VAULT_NOT_FOUND');
  if (await isReadable(tx, caller, vault)) return vault;
  requireHolding(vault, holder, utxos);
  return vault;
}

/** What is asked for instead of the tokens of a vault that has none, or that is absent. Nobody has them. */
export const tokensOfNobody: Unit = '00'.repeat(28);

/** Throws VAULT_NOT_FOUND unless the vault exists and the holder has tokens of it among these outputs. */
export function requireHolding(
  vault: Vault | null,
  holder: HolderRequest['holder'],
  utxos: readonly Utxo[],
): asserts vault is Vault {
  const ftUnit = vault?.ftUnit ?? tokensOfNobody;
  // Outputs elsewhere may be anybody's: only what is at the holder's own address shows that they hold tokens.
  const own = utxos.filter(({ address }) => address === holder.address);
  if (vault === null || !own.some(({ assets }) => assets.has(ftUnit))) throw new ServiceError('VAULT_NOT_FOUND');
}
