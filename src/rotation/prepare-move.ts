import { buildCustodyMove } from '../cardano/build/custody-move.ts';
import { referenceDatum, referenceUnit, tokenNameHex } from '../cardano/tokens/fractional-token.ts';
import { policyOf } from '../assets/rules/unit.ts';
import { moveKinds } from './rules/transaction-kinds.ts';
import { excludeLeased } from '../transactions/queries/utxo-leases.ts';
import { getVault, type Vault } from '../vaults/queries/vaults.ts';
import type { Prepared } from '../platform/temporal/activity-types.ts';
import { ftDescription } from '../settlement/ft-description.ts';
import { prepareStep, type TerminationContext, type VaultMoment } from '../termination/termination-transactions.ts';
import { requireFtUnit } from '../vaults/require-vault-state.ts';
import { type OutputsToMove, outputsToMove } from './outputs-to-move.ts';

/** The dependencies of the steps of a rotation. */
export type RotationContext = TerminationContext;

/** Outputs of one transaction: their assets take most of its size. */
const BATCH = 30;

/**
 * Prepares the next transaction that moves what a vault has at former addresses; null when nothing is left to move, or another
 * transaction holds it. Throws LEDGER_UNAVAILABLE.
 */
export async function prepareMove(context: RotationContext, moment: VaultMoment): Promise<Prepared | null> {
  for (const kind of moveKinds) {
    const prepared = await prepareStep(context, moment, kind, async (vault) => {
      const move = await nextMove(context, vault, kind);
      if (move === null) return null;
      const { from, to, utxos } = move;
      const described = descriptionOf(vault, context);
      return {
        build: (chain, operator, ttlSlot) => buildCustodyMove(chain, { utxos, from, to, described, operator, ttlSlot }),
        cosigners: from.cosigners,
      };
    });
    if (prepared !== null) return prepared;
  }
  return null;
}

/** Whether something is left at former addresses of a vault, also while another transaction holds it. Throws LEDGER_UNAVAILABLE. */
export async function isAnythingToMove(context: Pick<RotationContext, 'db' | 'ledger' | 'networkId'>, vaultId: string) {
  return (await outputsToMove(context, await getVault(context.db, vaultId))).length > 0;
}

async function nextMove(
  context: RotationContext,
  vault: Vault,
  kind: OutputsToMove['kind'],
): Promise<OutputsToMove | null> {
  for (const move of await outputsToMove(context, vault)) {
    if (move.kind !== kind) continue;
    const utxos = (await excludeLeased(context.db, move.utxos)).slice(0, BATCH);
    if (utxos.length > 0) return { ...move, utxos };
  }
  return null;
}

/** The token whose datum describes the fractional token of a vault, and that datum. */
function descriptionOf(vault: Vault, { tokenLook }: RotationContext) {
  const unit = referenceUnit(policyOf(requireFtUnit(vault)), tokenNameHex(vault.name));
  return { unit, datum: referenceDatum(ftDescription(vault, tokenLook)) };
}
