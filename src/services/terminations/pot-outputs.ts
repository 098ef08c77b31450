import type { DraftInput } from '../../chain/build/draft.ts';
import { scriptAddress } from '../../chain/scripts/address.ts';
import { claimsScript } from '../../chain/scripts/vault-scripts.ts';
import { platformOutputs } from '../../store/platform-outputs.ts';
import { excludeLeased } from '../../store/utxo-leases.ts';
import type { Vault } from '../../store/vaults.ts';
import type { TerminationContext } from './termination-transactions.ts';

interface PotOutputs {
  /** Those that no open transaction holds. */
  readonly free: readonly DraftInput[];
  /** Whether these are all. */
  readonly isWhole: boolean;
}

/** What lies at the claims address of a vault; unsolicited outputs are not the pot's. Throws LEDGER_UNAVAILABLE. */
export async function potOutputs(
  { db, ledger, networkId }: Pick<TerminationContext, 'db' | 'ledger' | 'networkId'>,
  vault: Vault,
): Promise<PotOutputs> {
  const script = claimsScript(vault);
  const found = await ledger.custodyUtxos(scriptAddress(script, networkId));
  const ofPot = await platformOutputs(db, found);
  const free = await excludeLeased(db, ofPot);
  return { free: free.map((utxo) => ({ utxo, script })), isWhole: free.length === ofPot.length };
}
