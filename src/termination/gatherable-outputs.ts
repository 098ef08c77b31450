import type { DraftInput } from '../cardano/build/draft.ts';
import { liquidityAddressOf } from '../cardano/scripts/script-addresses.ts';
import { custodyScript } from '../cardano/scripts/vault-scripts.ts';
import { isShared } from '../cardano/build/gathering-batch.ts';
import type { Utxo } from '../cardano/transaction.ts';
import { refText } from '../transactions/rules/utxo-ref.ts';
import { ownOutputs } from '../settlement/queries/platform-outputs.ts';
import { excludeLeased } from '../transactions/queries/utxo-leases.ts';
import type { Vault } from '../vaults/queries/vaults.ts';
import { requireFtUnit } from '../vaults/require-vault-state.ts';
import type { WorkerContext } from '../worker-context.ts';
import { heldAt } from '../ledger-follower/held-at.ts';

type Context = Pick<WorkerContext, 'db' | 'ledger' | 'networkId'>;

/**
 * What a vault that ends shares (design D13d): the outputs in its custody and at its liquidity address that hold no token but its own,
 * and those in which assets lie with much ADA, in the order of their references. Unsolicited outputs are not the vault's. Throws
 * LEDGER_UNAVAILABLE.
 */
export async function gatherableOutputs(context: Context, vault: Vault): Promise<DraftInput[]> {
  const { db, networkId } = context;
  const tokens = { policyId: vault.policyId, ftUnit: requireFtUnit(vault) };
  const liquidity = liquidityAddressOf(vault, networkId);
  const scripts = new Map([
    [vault.contractAddress, custodyScript(vault)],
    [liquidity.address, liquidity.script],
  ]);
  const inputs: DraftInput[] = [];
  for (const [address, script] of scripts) {
    const shared = (await heldAt(context, vault.id, address)).filter((utxo) => isShared(utxo, tokens));
    const free = await excludeLeased(db, await ownOutputs(db, vault.id, shared));
    inputs.push(...free.toSorted(byReference).map((utxo) => ({ utxo, script })));
  }
  return inputs;
}

function byReference(one: Utxo, other: Utxo): number {
  return refText(one) < refText(other) ? -1 : 1;
}
