import { buildVaultClosing } from '../cardano/build/vault-closing.ts';
import type { DraftInput } from '../cardano/build/draft.ts';
import { claimsAddressOf } from '../cardano/scripts/script-addresses.ts';
import { custodyScript } from '../cardano/scripts/vault-scripts.ts';
import { referenceDatum } from '../cardano/tokens/fractional-token.ts';
import type { Utxo } from '../cardano/transaction.ts';
import type { Instant } from '../platform/units/instant.ts';
import { isVaultToken } from '../vaults/rules/vault-tokens.ts';
import { ownOutputs } from '../settlement/queries/platform-outputs.ts';
import { excludeLeased } from '../transactions/queries/utxo-leases.ts';
import type { Vault } from '../vaults/queries/vaults.ts';
import type { Prepared } from '../platform/temporal/activity-types.ts';
import { ftDescription } from '../settlement/ft-description.ts';
import { requireFtUnit } from '../vaults/require-vault-state.ts';
import { closablePot } from './closable-pot.ts';
import { heldAt } from '../ledger-follower/held-at.ts';
import {
  prepareEndingStep,
  requireNoQuarantine,
  type TerminationContext,
  type VaultMoment,
} from './termination-transactions.ts';

/** Whether the last transaction of a vault has something to move, or cannot say it yet. Throws LEDGER_UNAVAILABLE. */
export async function isLeftToClose(context: TerminationContext, vault: Vault, now: Instant): Promise<boolean> {
  const closing = await closingOf(context, vault, now);
  return closing === null || closing.inputs.length > 0;
}

/** What the last transaction spends: the vault's NFT, its reference token, and what it closes of the pot; null while that has to wait. */
async function closingOf(context: TerminationContext, vault: Vault, now: Instant) {
  const pot = await closablePot(context, vault, now);
  return pot && { ...pot, inputs: [...(await identityOutputs(context, vault)), ...pot.inputs] };
}

/**
 * Prepares the transaction that leaves only tokens without value with the vault, and what can still be claimed; null when nothing has to
 * move, or it has to wait. Throws LEDGER_UNAVAILABLE, and Error while a consequence is in quarantine.
 */
export function prepareClosing(context: TerminationContext, moment: VaultMoment): Promise<Prepared | null> {
  return prepareEndingStep(context, moment, 'close_vault', async (vault) => {
    const closing = await closingOf(context, vault, moment.now);
    if (closing === null || closing.inputs.length === 0) return null;
    await requireNoQuarantine(context, vault);
    const { vaultKeyHash, contractAddress: custodyAddress } = vault;
    const { address: claimsAddress } = claimsAddressOf(vault, context.networkId);
    const datum = referenceDatum(ftDescription(vault, context.tokenLook));
    return {
      build: (chain, operator, ttlSlot) =>
        buildVaultClosing(chain, {
          ...closing,
          custodyAddress,
          claimsAddress,
          ftUnit: requireFtUnit(vault),
          datum,
          vaultKeyHash,
          operator,
          ttlSlot,
        }),
    };
  });
}

/** The outputs in custody that hold the vault's NFT and its reference token. */
async function identityOutputs(context: TerminationContext, vault: Vault): Promise<DraftInput[]> {
  const { id, policyId, contractAddress, cosigners } = vault;
  // Cosigners would have to sign for tokens without value: those stay where they are.
  if (cosigners !== null) return [];
  const tokens = { policyId, ftUnit: requireFtUnit(vault) };
  const isIdentity = ({ assets }: Utxo) =>
    assets.size > 0 && [...assets.keys()].every((unit) => isVaultToken(unit, tokens));
  const found = (await heldAt(context, vault.id, contractAddress)).filter(isIdentity);
  const script = custodyScript(vault);
  return (await excludeLeased(context.db, await ownOutputs(context.db, id, found))).map((utxo) => ({ utxo, script }));
}
