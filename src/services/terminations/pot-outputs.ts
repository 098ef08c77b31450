import type { DraftInput } from '../../chain/build/draft.ts';
import { scriptAddress } from '../../chain/scripts/address.ts';
import { claimsScript } from '../../chain/scripts/vault-scripts.ts';
import { platformOutputs } from '../../store/platform-outputs.ts';
import { excludeLeased } from '../../store/utxo-leases.ts';
import type { Vault } from '../../store/vaults.ts';
import type { TerminationContext } from './termination-transactions.ts';

/** What lies at the claims address of a vault and no open transaction holds; unsolicited outputs are not the pot's. Throws LEDGER_UNAVAILABLE. */
export async function potOutputs(
  { db, ledger, networkId }: Pick<TerminationContext, 'db' | 'ledger' | 'networkId'>,
  vault: Vault,
): Promise<DraftInput[]> {
  const script = claimsScript(vault);
  const found = await ledger.custodyUtxos(scriptAddress(script, networkId));
  const free = await excludeLeased(db, await platformOutputs(db, found));
  return free.map((utxo) => ({ utxo, script }));
}
