import { buildVaultCreation } from '../src/chain/build/vault-creation.ts';
import { vaultTransactions } from '../src/store/vault-transactions.ts';
import { getVault } from '../src/store/vaults.ts';
import type { PreparationActivities } from '../src/temporal/activities.ts';
import type { WorkerContext } from '../src/services/worker-context.ts';
import { operatorFunds } from './operator-funds.ts';
import { liveTransaction, recordPlatformTransaction } from '../src/services/transactions/platform-transactions.ts';
import { platformTtlSlot } from '../src/services/transactions/deadline.ts';

type Deps = Pick<WorkerContext, 'db' | 'unitOfWork' | 'ids' | 'ledger' | 'networkState' | 'keys'>;

/** The api builds a vault's first creation transaction; one that expired is built anew here, unless the vault has failed. */
export function createCreationActivities(deps: Deps): Pick<PreparationActivities, 'prepareCreation'> {
  return {
    async prepareCreation({ vaultId, now }) {
      const live = await liveTransaction(deps, vaultId, 'create_vault');
      if (live) return { transactionId: live.id };
      const vault = await getVault(deps.db, vaultId);
      if (vault.failedBecause !== null) return null;
      const chain = await deps.networkState();
      const ttlSlot = platformTtlSlot(chain.anchor, now, vault.settlesBy);
      if (ttlSlot === null) return null;
      const operator = await operatorFunds(deps, await vaultTransactions(deps.db, vaultId, ['create_vault']));
      const built = buildVaultCreation(chain, vault, operator, ttlSlot);
      return recordPlatformTransaction(deps, { kind: 'create_vault', vault, built, anchor: chain.anchor, now });
    },
  };
}
