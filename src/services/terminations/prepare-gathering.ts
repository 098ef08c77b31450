import { buildPotGathering } from '../../chain/build/pot-gathering.ts';
import { claimsAddressOf } from '../../chain/scripts/script-addresses.ts';
import type { Prepared } from '../../temporal/activity-types.ts';
import { requireFtUnit } from '../vaults/require-vault-state.ts';
import { custodyOf } from './custody-of.ts';
import { gatherableOutputs } from './gatherable-outputs.ts';
import { prepareStep, type TerminationContext, type VaultMoment } from './termination-transactions.ts';

/** A transaction with so many inputs and the outputs of a pot has less than half of the size that the ledger accepts. */
const BATCH = 80;

/** Prepares the next transaction that gathers the pot; null when there is nothing left to gather. Throws LEDGER_UNAVAILABLE. */
export function prepareGathering(context: TerminationContext, moment: VaultMoment): Promise<Prepared | null> {
  return prepareStep(context, moment, 'gather_pot', async (vault) => {
    const inputs = (await gatherableOutputs(context, vault)).slice(0, BATCH);
    if (inputs.length === 0) return null;
    const custody = custodyOf(vault);
    // Its liquidity share needs the vault's key alone.
    const cosigners = inputs.some(({ utxo }) => utxo.address === custody.address) ? vault.cosigners : null;
    const { address: claimsAddress } = claimsAddressOf(vault, context.networkId);
    const signed = cosigners ? custody : { ...custody, cosigners: [], allCosign: true };
    const ftUnit = requireFtUnit(vault);
    return {
      build: (chain, operator, ttlSlot) =>
        buildPotGathering(chain, {
          inputs,
          claimsAddress,
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
