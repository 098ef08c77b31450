import { readPaymentKeyHash } from '../../cardano/scripts/address.ts';
import { depositAddressOf } from '../../cardano/scripts/script-addresses.ts';
import type { Holding, Utxo } from '../../cardano/transaction.ts';
import type { OfVault } from '../evidence.ts';
import { equalAssets, requireInputsAt, sumOf, assertAllowed, lifetime, type Rule } from '../policy.ts';
import { ownerAddresses } from '../addresses.ts';

/** A refund, and a removal that its owner or the vault's admin has asked for. */
export const refund = returnDeposits(lifetime.prepared);
export const removal = returnDeposits(lifetime.requested);

/**
 * Deposits go back whole to the keys in their own scripts, at the addresses to which their own transactions paid the change, less their parts
 * of the fee. No row is asked who owns them.
 */
function returnDeposits(lifetimeSeconds: number): Rule<OfVault> {
  return {
    keys: ['vault'],
    mayCarry: [],
    lifetimeSeconds,
    evaluate({ transaction, spent, paidBy, networkId }, { vault }) {
      const byOwner = Map.groupBy(transaction.outputs, ({ address }) => readPaymentKeyHash(address) ?? null);
      assertAllowed(!byOwner.has(null), 'it pays an address without a payment key');
      const owners = [...byOwner].map(([owner, outputs]) => ({
        address: depositAddressOf(vault, owner ?? '', networkId).address,
        outputs,
        shownFor: ({ txHash }: Utxo) => ownerAddresses(paidBy.get(txHash), owner ?? undefined).join(),
      }));
      requireInputsAt(
        { spent },
        owners.map(({ address }) => address),
      );
      const part = transaction.fee / BigInt(spent.length) + 1n;
      for (const { address, outputs, shownFor } of owners) {
        const theirs = spent.filter((input) => input.address === address);
        const isWhole = equalAssets(sumOf(theirs).assets, sumOf(outputs).assets);
        assertAllowed(isWhole, `what lies at ${address} does not return whole`);
        requireReturned(theirs, outputs, part);
        for (const [shown, deposits] of Map.groupBy(theirs, shownFor))
          if (shown !== '') requireReturned(deposits, outputs.filter(isAt(shown)), part);
      }
    },
  };
}

const isAt = (addresses: string) => {
  const listed = addresses.split(',');
  return ({ address }: Holding) => listed.includes(address);
};

function requireReturned(deposits: readonly Utxo[], outputs: readonly Holding[], part: bigint): void {
  const [held, returned] = [sumOf(deposits), sumOf(outputs)];
  const least = held.lovelace - part * BigInt(deposits.length);
  const isWhole = [...held.assets].every(([unit, quantity]) => (returned.assets.get(unit) ?? 0n) >= quantity);
  assertAllowed(
    returned.lovelace >= least && isWhole,
    `${returned.lovelace} of ${held.lovelace} lovelace of an owner return to their address`,
  );
}
