import { buildPotGathering } from '../../chain/build/pot-gathering.ts';
import { platformTtlSlot } from '../../chain/ledger/deadline.ts';
import { scriptAddress } from '../../chain/scripts/address.ts';
import { claimsScript } from '../../chain/scripts/vault-scripts.ts';
import { isOnLedger } from '../../domain/transaction/transaction-state.ts';
import type { Instant } from '../../domain/units/instant.ts';
import { vaultTransactions } from '../../store/vault-transactions.ts';
import { getVault } from '../../store/vaults.ts';
import type { Prepared } from '../../temporal/activity-types.ts';
import { buildWithOperatorFunds } from '../operator/build-with-operator-funds.ts';
import { latestLive, recordPlatformTransaction } from '../transactions/platform-transactions.ts';
import type { WorkerContext } from '../worker-context.ts';
import { gatherableOutputs } from './gatherable-outputs.ts';

/** A transaction with so many inputs and the outputs of a pot has less than half of the size that the ledger accepts. */
const BATCH = 80;

export type TerminationContext = Pick<
  WorkerContext,
  'db' | 'unitOfWork' | 'ids' | 'ledger' | 'networkState' | 'networkId' | 'keys' | 'onQuarantine'
>;

/** Builds and records the next transaction that gathers the pot; null when there is nothing left to gather. Throws LEDGER_UNAVAILABLE. */
export async function prepareGathering(
  context: TerminationContext,
  { vaultId, now }: { readonly vaultId: string; readonly now: Instant },
): Promise<Prepared | null> {
  const earlier = await vaultTransactions(context.db, vaultId, ['gather_pot']);
  const live = latestLive(earlier, 'gather_pot');
  if (live && !isOnLedger(live.state)) return { transactionId: live.id };
  const [vault, chain] = await Promise.all([getVault(context.db, vaultId), context.networkState()]);
  const inputs = (await gatherableOutputs(context, vault)).slice(0, BATCH);
  const ttlSlot = platformTtlSlot(chain.anchor, now, null);
  if (inputs.length === 0 || ttlSlot === null) return null;
  const { vaultKeyHash } = vault;
  const claimsAddress = scriptAddress(claimsScript(vault), context.networkId);
  const built = await buildWithOperatorFunds(context, earlier, (operator) =>
    buildPotGathering(chain, { inputs, claimsAddress, vaultKeyHash, operator, ttlSlot }),
  );
  return recordPlatformTransaction(context, { kind: 'gather_pot', vault, built, anchor: chain.anchor, now });
}
