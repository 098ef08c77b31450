import { countFreeVaultKeys, publishVaultKeys as storeVaultKeys } from '../vaults/queries/vault-keys.ts';
import type { WorkerContext } from '../worker-context.ts';

/** Free vault keys to keep ready. */
const FREE_KEYS = 200;

/** Publishes vault keys until enough are free: the api can only promise addresses of published keys. */
export async function publishVaultKeys({ db, keys }: Pick<WorkerContext, 'db' | 'keys'>): Promise<void> {
  const { free, nextIndex } = await countFreeVaultKeys(db);
  if (free >= FREE_KEYS / 2) return;
  const further = Array.from({ length: FREE_KEYS - free }, (_, offset) => {
    const index = nextIndex + offset;
    return { index, vaultKeyHash: keys.vaultKey(index).keyHash, policyKeyHash: keys.policyKey(index).keyHash };
  });
  await storeVaultKeys(db, further);
}
