import { buildRemainderPayment } from '../cardano/build/remainder-payment.ts';
import { claimsAddressOf } from '../cardano/scripts/script-addresses.ts';
import type { Lovelace } from '../platform/units/money.ts';
import { getTermination, type Termination } from './queries/terminations.ts';
import type { Prepared } from '../platform/temporal/activity-types.ts';
import { potOutputs } from './pot-outputs.ts';
import {
  prepareEndingStep,
  requireNoQuarantine,
  type TerminationContext,
  type VaultMoment,
} from './termination-transactions.ts';

/** What has to be paid to the wallet that was named for what nobody claims; null when nobody was, or nothing is left. */
export function remainderOf({ unclaimedLovelaceTo, pot }: Termination): {
  readonly remainder: Lovelace;
  readonly recipient: string;
} | null {
  if (unclaimedLovelaceTo === null || pot.lovelace === 0n) return null;
  return { remainder: pot.lovelace, recipient: unclaimedLovelaceTo };
}

/**
 * Prepares the payment of what nobody claimed; null when there is none, or another transaction holds a part of the pot. Throws
 * LEDGER_UNAVAILABLE, and Error while the counted pot may be another than the one on the ledger.
 */
export function prepareRemainder(context: TerminationContext, moment: VaultMoment): Promise<Prepared | null> {
  return prepareEndingStep(context, moment, 'pay_remainder', async (vault) => {
    const owed = remainderOf(await getTermination(context.db, vault.id));
    if (owed === null) return null;
    await requireNoQuarantine(context, vault);
    const { free: pot, isWhole } = await potOutputs(context, vault);
    if (!isWhole) return null;
    const { vaultKeyHash } = vault;
    const { address: claimsAddress } = claimsAddressOf(vault, context.networkId);
    return {
      build: (chain, operator, ttlSlot) =>
        buildRemainderPayment(chain, { pot, claimsAddress, ...owed, vaultKeyHash, operator, ttlSlot }),
    };
  });
}
