import { gatheringBatch } from '../cardano/build/gathering-batch.ts';
import { buildPotGathering } from '../cardano/build/pot-gathering.ts';
import type { DraftInput } from '../cardano/build/draft.ts';
import { claimsAddressOf } from '../cardano/scripts/script-addresses.ts';
import type { Vault } from '../vaults/queries/vaults.ts';
import type { Prepared } from '../platform/temporal/activity-types.ts';
import { requireFtUnit } from '../vaults/require-vault-state.ts';
import { custodyOf } from './custody-of.ts';
import { gatherableOutputs } from './gatherable-outputs.ts';
import { potOutputs } from './pot-outputs.ts';
import {
  isAnyOnLedger,
  prepareEndingStep,
  type TerminationContext,
  type VaultMoment,
} from './termination-transactions.ts';

/**
 * What is left to gather of a vault, in the order of its references; null when nothing is. A vault that has nothing to gather gets a pot
 * with what the operator lends alone, for what sales bring later.
 */
export async function leftToGather(context: TerminationContext, vault: Vault): Promise<readonly DraftInput[] | null> {
  const inputs = await gatherableOutputs(context, vault);
  return inputs.length > 0 || !(await isAnyOnLedger(context, vault, 'gather_pot')) ? inputs : null;
}

/** Prepares the next transaction that gathers the pot; null when there is nothing left to gather. Throws LEDGER_UNAVAILABLE. */
export function prepareGathering(context: TerminationContext, moment: VaultMoment): Promise<Prepared | null> {
  return prepareEndingStep(context, moment, 'gather_pot', async (vault) => {
    const left = await leftToGather(context, vault);
    if (left === null) return null;
    const ftUnit = requireFtUnit(vault);
    const inputs = gatheringBatch(left, ftUnit);
    const { count: inPot } = await potOutputs(context, vault);
    const custody = custodyOf(vault);
    // Its liquidity share needs the vault's key alone.
    const cosigners = inputs.some(({ utxo }) => utxo.address === custody.address) ? vault.cosigners : null;
    const { address: claimsAddress } = claimsAddressOf(vault, context.networkId);
    const signed = cosigners ? custody : { ...custody, cosigners: [], allCosign: true };
    return {
      build: (chain, operator, ttlSlot) =>
        buildPotGathering(chain, {
          inputs,
          claimsAddress,
          inPot,
          custody: signed,
          ftUnit,
          ftSupply: vault.terms.ftSupply,
          operator,
          ttlSlot,
        }),
      cosigners,
    };
  });
}
