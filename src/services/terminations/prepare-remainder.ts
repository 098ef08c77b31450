import { buildRemainderPayment } from '../../chain/build/remainder-payment.ts';
import { scriptAddress } from '../../chain/scripts/address.ts';
import { claimsScript } from '../../chain/scripts/vault-scripts.ts';
import type { Lovelace } from '../../domain/units/money.ts';
import { getTermination, type Termination } from '../../store/terminations.ts';
import type { Prepared } from '../../temporal/activity-types.ts';
import { potOutputs } from './pot-outputs.ts';
import { prepareStep, type TerminationContext, type VaultMoment } from './termination-transactions.ts';

/** Less than that no output can hold. */
const MIN_REMAINDER = 1_200_000n;

/** What has to be paid to the wallet that was named for what nobody claims; null when nobody was, or it is too little for an output. */
export function remainderOf({ unclaimedLovelaceTo, pot }: Termination): {
  readonly remainder: Lovelace;
  readonly recipient: string;
} | null {
  if (unclaimedLovelaceTo === null || pot.lovelace < MIN_REMAINDER) return null;
  return { remainder: pot.lovelace, recipient: unclaimedLovelaceTo };
}

/** Prepares the payment of what nobody claimed; null when there is none. Throws LEDGER_UNAVAILABLE. */
export function prepareRemainder(context: TerminationContext, moment: VaultMoment): Promise<Prepared | null> {
  return prepareStep(context, moment, 'pay_remainder', async (vault) => {
    const owed = remainderOf(await getTermination(context.db, vault.id));
    const pot = await potOutputs(context, vault);
    if (owed === null || pot.length === 0) return null;
    const { vaultKeyHash } = vault;
    const claimsAddress = scriptAddress(claimsScript(vault), context.networkId);
    return {
      build: (chain, operator, ttlSlot) =>
        buildRemainderPayment(chain, { pot, claimsAddress, ...owed, vaultKeyHash, operator, ttlSlot }),
    };
  });
}
