import { platformEventFields, publish } from '../../events/publish.ts';
import { refText } from '../../transactions/rules/utxo-ref.ts';
import { lockDuplicateToReturn } from '../queries/unsolicited.ts';
import type { Vault } from '../../vaults/queries/vaults.ts';
import type { WorkerContext } from '../../worker-context.ts';
import { startUnsolicitedReturn } from './start-return.ts';

/**
 * Returns a deposit that never counted (design D16, D42) to its owner, less the fee: one a scan, so that one
 * that cannot be returned is tried once a scan. Throws LEDGER_UNAVAILABLE and what `startUnsolicitedReturn` throws.
 */
export async function returnDuplicate(
  { unitOfWork, networkState, networkId }: Pick<WorkerContext, 'unitOfWork' | 'networkState' | 'networkId'>,
  vault: Vault,
): Promise<void> {
  const chain = await networkState();
  await unitOfWork(async (context) => {
    const duplicate = await lockDuplicateToReturn(context.tx, vault.id);
    if (duplicate === null) return;
    const { output, owner } = duplicate;
    const { transaction } = await startUnsolicitedReturn(
      context,
      { vault, outputs: [output], to: owner, networkId },
      chain,
    );
    const source = { ...platformEventFields(vault.id), wallets: [owner], transactionHash: transaction.hash };
    const data = { output: refText(output.utxo), to: owner };
    await publish(context, { event: { type: 'DUPLICATE_RETURN_STARTED', ...source, data } });
  });
}
