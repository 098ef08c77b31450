import { setCreationConfirmed } from './queries/vault-changes.ts';
import { activateVault } from './transitions.ts';
import { platformEventFields, publish } from '../events/publish.ts';
import { type TransactionEffects, nothing } from '../ledger-follower/effects/transaction-effects.ts';

/** A vault is created while its creation transaction is on the ledger (design D6). */
export const creationEffects: TransactionEffects = {
  async confirmed(context, { vaultId }) {
    if (vaultId === null) return;
    await setCreationConfirmed(context.tx, vaultId, context.now);
    await activateVault(context, vaultId);
  },
  async rolledBack(context, { vaultId, hash: transactionHash }) {
    if (vaultId === null) return;
    await setCreationConfirmed(context.tx, vaultId, null);
    const event = { ...platformEventFields(vaultId), transactionHash, data: {} };
    await publish(context, { event: { type: 'VAULT_CREATION_ROLLED_BACK', ...event } });
  },
  ended: nothing,
};
