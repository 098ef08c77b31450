import { liquidityAddressOf } from '../cardano/scripts/script-addresses.ts';
import { type OwnGuard, ownGuards } from '../cardano/scripts/own-guards.ts';
import type { Utxo } from '../cardano/transaction.ts';
import type { moveKinds } from './rules/transaction-kinds.ts';
import { refText } from '../transactions/rules/utxo-ref.ts';
import { ownOutputs, vaultSpendableUtxos } from '../settlement/queries/platform-outputs.ts';
import type { Vault } from '../vaults/queries/vaults.ts';
import { heldAt } from '../ledger-follower/held-at.ts';
import type { WorkerContext } from '../worker-context.ts';

/** Outputs at a former address of a vault. */
export interface OutputsToMove {
  /** Kept are those that executions never spend: the tokens that identify a vault, and shares of reclaimed deposits. */
  readonly kind: (typeof moveKinds)[number];
  readonly from: OwnGuard;
  readonly to: string;
  readonly utxos: readonly Utxo[];
}

/**
 * What a vault has at addresses of before its rotations, by address. Unsolicited outputs are not the vault's: they can be returned from
 * where they are. Throws LEDGER_UNAVAILABLE.
 */
export async function outputsToMove(
  context: Pick<WorkerContext, 'db' | 'ledger' | 'networkId'>,
  vault: Vault,
): Promise<OutputsToMove[]> {
  const { db, networkId } = context;
  const targets = new Map([
    ['custody', vault.contractAddress],
    ['liquidity', liquidityAddressOf(vault, networkId).address],
  ]);
  const found: OutputsToMove[] = [];
  for (const from of ownGuards(vault, networkId)) {
    const to = targets.get(from.kind);
    if (to === undefined || to === from.address) continue;
    // What a backend does not show yet would be left behind.
    const unspent = await heldAt(context, vault.id, from.address);
    const own = await ownOutputs(db, vault.id, unspent);
    const spendable = new Set((await vaultSpendableUtxos(db, vault.id, own)).map(refText));
    const isKept = (utxo: Utxo) => from.kind === 'custody' && !spendable.has(refText(utxo));
    const moves = [
      { kind: 'move_custody', utxos: own.filter((utxo) => !isKept(utxo)) },
      { kind: 'move_kept', utxos: own.filter(isKept) },
    ] as const;
    found.push(...moves.map((move) => ({ ...move, from, to })).filter(({ utxos }) => utxos.length > 0));
  }
  return found;
}
