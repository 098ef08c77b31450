import { claimsAddressOf } from '../../cardano/scripts/script-addresses.ts';
import type { Unit, Utxo } from '../../cardano/transaction.ts';
import { requireClaimable } from '../rules/claims/claim.ts';
import type { Caller } from '../../access/rules/caller.ts';
import { type SentClaim, sentClaims } from '../queries/chained-claims.ts';
import { claimableOutputs } from '../../settlement/queries/platform-outputs.ts';
import { findTermination } from '../queries/terminations.ts';
import { findVault } from '../../vaults/queries/vaults.ts';
import type { Actor } from '../../access/actor.ts';
import type { ServiceContext } from '../../context.ts';
import { prefetchWallet, type WalletPrefetch } from '../../transactions/wallet-prefetch.ts';
import { requireHolding, tokensOfNobody } from '../../vaults/require-held-vault.ts';
import { isReadable } from '../../vaults/vault-access.ts';

/** What a claim is built from, read before the unit of work. */
export interface ClaimPrefetch extends WalletPrefetch {
  readonly pot: PotPrefetch;
}

/** A pot as it was before the unit of work. */
export interface PotPrefetch {
  readonly address: string;
  /** All that the ledger has at its address. */
  readonly onLedger: readonly Utxo[];
  /** Those that claims can spend, which a block has. */
  readonly inBlocks: readonly Utxo[];
  readonly sent: readonly SentClaim[];
}

/**
 * Reads what a holder and the pot of a vault have on the ledger. Throws CLAIMS_NOT_OPEN and CLAIMS_CLOSED before it asks the ledger,
 * VAULT_NOT_FOUND, UTXO_NOT_ON_LEDGER and LEDGER_UNAVAILABLE. For an absent vault it asks as much as for one that the caller may not
 * read, which is what the wallet has.
 */
export async function prefetchClaim(
  context: Pick<ServiceContext, 'db' | 'networkState' | 'ledger' | 'networkId' | 'readingTime'>,
  { vaultId, caller, holder }: { readonly vaultId: string; readonly caller: Caller; readonly holder: Actor },
): Promise<ClaimPrefetch> {
  const { db, networkId } = context;
  const vault = await findVault(db, vaultId);
  const mayRead = vault !== null && (await isReadable(db, caller, vault));
  if (mayRead) requireClaimable(await findTermination(db, vaultId), await context.readingTime());
  const ftUnit = vault?.ftUnit ?? tokensOfNobody;
  const reading = prefetchWallet(context, holder, [ftUnit]);
  // Whoever may not read the vault must hold its tokens to hear anything of it, and only the ledger knows that.
  if (!mayRead) requireHolding(vault, holder, (await reading).utxos);
  const { address } = claimsAddressOf(vault, networkId);
  const [wallet, pot] = await Promise.all([reading, prefetchPot(context, { vaultId, ftUnit, address })]);
  return { ...wallet, pot };
}

async function prefetchPot(
  { db, ledger }: Pick<ServiceContext, 'db' | 'ledger'>,
  { vaultId, ftUnit, address }: { readonly vaultId: string; readonly ftUnit: Unit; readonly address: string },
): Promise<PotPrefetch> {
  // Before the ledger: what lands meanwhile is in one of both.
  const sent = await sentClaims(db, vaultId, address);
  const onLedger = await ledger.custodyUtxos(address);
  return { address, onLedger, inBlocks: await claimableOutputs(db, { vaultId, ftUnit }, onLedger), sent };
}
