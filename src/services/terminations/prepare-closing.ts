import { buildVaultClosing } from '../../chain/build/vault-closing.ts';
import type { DraftInput } from '../../chain/build/draft.ts';
import { custodyScript } from '../../chain/scripts/vault-scripts.ts';
import { referenceDatum } from '../../chain/tokens/fractional-token.ts';
import type { Utxo } from '../../chain/transaction.ts';
import { isVaultToken } from '../../domain/vault/vault-tokens.ts';
import { platformOutputs } from '../../store/platform-outputs.ts';
import { getTermination } from '../../store/terminations.ts';
import { excludeLeased } from '../../store/utxo-leases.ts';
import type { Vault } from '../../store/vaults.ts';
import type { Prepared } from '../../temporal/activity-types.ts';
import { ftDescription } from '../settlements/ft-description.ts';
import { requireFtUnit } from '../vaults/require-vault-state.ts';
import { heldAt } from './held-at.ts';
import { potOutputs } from './pot-outputs.ts';
import {
  prepareStep,
  requireNoQuarantine,
  type TerminationContext,
  type VaultMoment,
} from './termination-transactions.ts';

/**
 * What the last transaction of a vault spends: its NFT, its reference token, and an empty pot. A pot that somebody may still claim stays
 * as it is, with the operator's float in it. Throws LEDGER_UNAVAILABLE.
 */
export async function closingInputs(context: TerminationContext, vault: Vault): Promise<DraftInput[]> {
  const { pot } = await getTermination(context.db, vault.id);
  const emptied = pot.lovelace === 0n ? (await potOutputs(context, vault)).free : [];
  return [...(await identityOutputs(context, vault)), ...emptied];
}

/** Prepares the transaction that leaves only tokens without value with the vault; null when nothing has to move. Throws LEDGER_UNAVAILABLE, and Error while a consequence is in quarantine. */
export function prepareClosing(context: TerminationContext, moment: VaultMoment): Promise<Prepared | null> {
  return prepareStep(context, moment, 'close_vault', async (vault) => {
    const inputs = await closingInputs(context, vault);
    if (inputs.length === 0) return null;
    await requireNoQuarantine(context, vault);
    const { vaultKeyHash, contractAddress: custodyAddress } = vault;
    const datum = referenceDatum(ftDescription(vault, context.tokenLook));
    return {
      build: (chain, operator, ttlSlot) =>
        buildVaultClosing(chain, { inputs, custodyAddress, datum, vaultKeyHash, operator, ttlSlot }),
    };
  });
}

/** The outputs in custody that hold the vault's NFT and its reference token. */
async function identityOutputs(context: TerminationContext, vault: Vault): Promise<DraftInput[]> {
  const { policyId, contractAddress, cosigners } = vault;
  // Cosigners would have to sign for tokens without value: those stay where they are.
  if (cosigners !== null) return [];
  const tokens = { policyId, ftUnit: requireFtUnit(vault) };
  const isIdentity = ({ assets }: Utxo) =>
    assets.size > 0 && [...assets.keys()].every((unit) => isVaultToken(unit, tokens));
  const found = (await heldAt(context, vault, contractAddress)).filter(isIdentity);
  const script = custodyScript(vault);
  return (await excludeLeased(context.db, await platformOutputs(context.db, found))).map((utxo) => ({ utxo, script }));
}
