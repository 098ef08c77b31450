import { isoText } from '../platform/units/instant.ts';
import type { Termination } from './queries/terminations.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { platformEventFields, publish } from '../events/publish.ts';

/**
 * Publishes what the claims on a vault are after a change that no claim has made: another pot, another deadline, their end, or that they
 * go on. Before they open, nobody is shown a pot.
 */
export async function publishClaimsChange(
  context: TransactionContext,
  termination: Termination | null,
  { hash: transactionHash }: { readonly hash: string | null },
): Promise<void> {
  if (!termination?.claimDeadline) return;
  const { vaultId, pot, claimDeadline, endedBecause } = termination;
  const data = {
    potLovelace: pot.lovelace.toString(),
    circulatingFtBaseUnits: pot.circulating.toString(),
    claimDeadline: isoText(claimDeadline),
    endedBecause,
  };
  await publish(context, { event: { type: 'CLAIMS_CHANGED', ...platformEventFields(vaultId), transactionHash, data } });
}
