import { setCreationConfirmed } from '../../store/vault-changes.ts';
import { activateVault } from '../vaults/transitions.ts';
import type { Consequences } from './consequences.ts';

/** A vault is created while its creation transaction is on the ledger (design D6). */
export const creationConsequences: Consequences = {
  async confirmed(context, { vaultId }) {
    if (vaultId === null) return;
    await setCreationConfirmed(context.tx, vaultId, context.now);
    await activateVault(context, vaultId);
  },
  async rolledBack({ tx }, { vaultId }) {
    if (vaultId !== null) await setCreationConfirmed(tx, vaultId, null);
  },
  ended: () => Promise.resolve(),
};
