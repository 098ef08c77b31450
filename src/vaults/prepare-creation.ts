import { buildVaultCreation } from '../cardano/build/vault-creation.ts';
import type { Instant } from '../platform/units/instant.ts';
import { scriptHash } from '../cardano/scripts/native-script.ts';
import { policyScript } from '../cardano/scripts/vault-scripts.ts';
import { setPolicyId } from './queries/vault-changes.ts';
import { vaultTransactions } from '../transactions/queries/vault-transactions.ts';
import { getVault } from './queries/vaults.ts';
import type { Prepared } from '../platform/temporal/activity-types.ts';
import { buildWithOperatorFunds } from '../operations/build-with-operator-funds.ts';
import { platformTtlSlot } from '../cardano/ledger/deadline.ts';
import {
  liveTransaction,
  recordPlatformTransaction,
  type RecordingContext,
} from '../transactions/platform-transactions.ts';
import type { WorkerContext } from '../worker-context.ts';

/**
 * Builds and records a vault's creation transaction again after the one the api built has expired; null when the vault has
 * failed, or when it could not land before T. Throws LEDGER_UNAVAILABLE.
 */
export async function prepareCreation(
  context: RecordingContext & Pick<WorkerContext, 'networkState' | 'keys' | 'operatorBudget' | 'tokenLook'>,
  { vaultId, now }: { readonly vaultId: string; readonly now: Instant },
): Promise<Prepared | null> {
  const live = await liveTransaction(context, vaultId, 'create_vault');
  if (live) return { transactionId: live.id };
  const vault = await getVault(context.db, vaultId);
  if (vault.failedBecause !== null || now >= vault.settlesBy) return null;
  const chain = await context.networkState();
  const ttlSlot = platformTtlSlot(chain.anchor, now, vault.settlesBy);
  if (ttlSlot === null) return null;
  const replaced = await vaultTransactions(context.db, vaultId, ['create_vault']);
  const built = await buildWithOperatorFunds(context, 'create_vault', replaced, (operator) =>
    buildVaultCreation(chain, vault, { operator, image: context.tokenLook.image, ttlSlot }),
  );
  const { policyKeyHash } = vault;
  const policyId = scriptHash(policyScript({ policyKeyHash, deadlineSlot: ttlSlot }));
  const record = { kind: 'create_vault', vault, built, anchor: chain.anchor, now } as const;
  return recordPlatformTransaction(context, record, (tx) => setPolicyId(tx, vaultId, policyId));
}
