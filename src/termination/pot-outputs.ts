import type { DraftInput } from '../cardano/build/draft.ts';
import { sumHoldings } from '../cardano/build/values.ts';
import { claimsAddressOf } from '../cardano/scripts/script-addresses.ts';
import { ownOutputs } from '../settlement/queries/platform-outputs.ts';
import { excludeLeased } from '../transactions/queries/utxo-leases.ts';
import type { Vault } from '../vaults/queries/vaults.ts';
import { heldAt } from '../ledger-follower/held-at.ts';
import type { TerminationContext } from './termination-transactions.ts';

/** What lies at the claims address of a vault. */
export interface PotOutputs {
  /** Those that no open transaction holds. */
  readonly free: readonly DraftInput[];
  /** Whether these are all. */
  readonly isWhole: boolean;
  /** How many there are, and the lovelace in them. */
  readonly count: number;
  readonly lovelace: bigint;
}

/** What lies at the claims address of a vault; unsolicited outputs are not the pot's. Throws LEDGER_UNAVAILABLE. */
export async function potOutputs(
  context: Pick<TerminationContext, 'db' | 'ledger' | 'networkId'>,
  vault: Vault,
): Promise<PotOutputs> {
  const { db, networkId } = context;
  const { script, address } = claimsAddressOf(vault, networkId);
  const found = await heldAt(context, vault.id, address);
  const ofPot = await ownOutputs(db, vault.id, found);
  const free = await excludeLeased(db, ofPot);
  return {
    free: free.map((utxo) => ({ utxo, script })),
    isWhole: free.length === ofPot.length,
    count: ofPot.length,
    lovelace: sumHoldings(ofPot).lovelace,
  };
}
