import type { DraftInput } from '../../chain/build/draft.ts';
import { scriptAddress } from '../../chain/scripts/address.ts';
import { custodyScript, liquidityScript } from '../../chain/scripts/vault-scripts.ts';
import type { Utxo } from '../../chain/transaction.ts';
import { refText } from '../../domain/transaction/utxo-ref.ts';
import { platformOutputs } from '../../store/platform-outputs.ts';
import { excludeLeased } from '../../store/utxo-leases.ts';
import type { Vault } from '../../store/vaults.ts';
import { requireFtUnit } from '../vaults/require-vault-state.ts';
import type { WorkerContext } from '../worker-context.ts';

type Context = Pick<WorkerContext, 'db' | 'ledger' | 'networkId'>;

/**
 * What a vault that ends shares (design D13d): the outputs in its custody and at its liquidity address that hold no token but its own,
 * in the order of their references. Unsolicited outputs are not the vault's. Throws LEDGER_UNAVAILABLE.
 */
export async function gatherableOutputs({ db, ledger, networkId }: Context, vault: Vault): Promise<DraftInput[]> {
  const ftUnit = requireFtUnit(vault);
  const liquidity = liquidityScript(vault);
  const scripts = new Map([
    [vault.contractAddress, custodyScript(vault)],
    [scriptAddress(liquidity, networkId), liquidity],
  ]);
  const inputs: DraftInput[] = [];
  for (const [address, script] of scripts) {
    const shared = (await ledger.custodyUtxos(address)).filter((utxo) => holdsOnly(utxo, ftUnit));
    const free = await excludeLeased(db, await platformOutputs(db, shared));
    inputs.push(...free.toSorted(byReference).map((utxo) => ({ utxo, script })));
  }
  return inputs;
}

function holdsOnly({ assets }: Utxo, ftUnit: string): boolean {
  return [...assets.keys()].every((unit) => unit === ftUnit);
}

function byReference(one: Utxo, other: Utxo): number {
  return refText(one) < refText(other) ? -1 : 1;
}
