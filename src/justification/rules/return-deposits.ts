import { readPaymentKeyHash } from '../../chain/scripts/address.ts';
import { depositAddressOf } from '../../chain/scripts/script-addresses.ts';
import type { OfVault } from '../evidence.ts';
import { equalAssets, requireInputsAt, sumOf } from '../flows.ts';
import { requireJust } from '../judged.ts';
import { lifetime, type Rule } from '../rule.ts';

/** A refund, and a removal that its owner or the vault's admin has asked for. */
export const refund = returnDeposits(lifetime.prepared);
export const removal = returnDeposits(lifetime.requested);

/** Deposits go back whole to the keys in their own scripts, less their parts of the fee. No row is asked who owns them. */
function returnDeposits(lifetimeSeconds: number): Rule<OfVault> {
  return {
    keys: ['vault'],
    mayCarry: [],
    lifetimeSeconds,
    judge({ transaction, spent, networkId }, { vault }) {
      const byOwner = Map.groupBy(transaction.outputs, ({ address }) => readPaymentKeyHash(address) ?? null);
      requireJust(!byOwner.has(null), 'it pays an address without a payment key');
      const owners = [...byOwner].map(([owner, outputs]) => ({
        address: depositAddressOf(vault, owner ?? '', networkId).address,
        returned: sumOf(outputs),
      }));
      requireInputsAt(
        { spent },
        owners.map(({ address }) => address),
      );
      const part = transaction.fee / BigInt(spent.length) + 1n;
      for (const { address, returned } of owners) {
        const theirs = spent.filter((input) => input.address === address);
        const held = sumOf(theirs);
        requireJust(equalAssets(held.assets, returned.assets), `what lies at ${address} does not return whole`);
        const least = held.lovelace - part * BigInt(theirs.length);
        requireJust(
          returned.lovelace >= least,
          `${returned.lovelace} of ${held.lovelace} lovelace return from ${address}`,
        );
      }
    },
  };
}
