import { readPaymentKeyHash } from '../../cardano/scripts/address.ts';
import { depositAddressOf } from '../../cardano/scripts/script-addresses.ts';
import { refText } from '../../transactions/rules/utxo-ref.ts';
import type { UnsolicitedEvidence } from '../evidence.ts';
import { requireInputsAt } from '../flows.ts';
import { requireJust } from '../judged.ts';
import { lifetime, type Rule } from '../rule.ts';
import { shownAddresses } from '../shown-addresses.ts';

/**
 * What strangers sent to a vault may go to one address that its admin names. What lies at the deposit address of an owner goes to that
 * owner, as a deposit does: nothing on the ledger tells a deposit from a gift.
 */
export const returnUnsolicited: Rule<UnsolicitedEvidence> = {
  keys: ['vault'],
  mayCarry: [],
  lifetimeSeconds: lifetime.cosigned,
  judge({ transaction, spent, paidBy, networkId }, { vault, foreign }) {
    const [to, ...others] = new Set(transaction.outputs.map(({ address }) => address));
    requireJust(to !== undefined && others.length === 0, 'it pays several addresses');
    const owner = readPaymentKeyHash(to);
    const deposits = owner === undefined ? [] : [depositAddressOf(vault, owner, networkId).address];
    requireInputsAt({ spent }, [...vault.own, ...deposits]);
    for (const { txHash } of spent.filter(({ address }) => deposits.includes(address))) {
      const shown = shownAddresses(paidBy.get(txHash), owner);
      requireJust(shown.length === 0 || shown.includes(to), `the change of ${txHash} went to ${shown.join()}`);
    }
    const own = spent.find((input) => vault.own.includes(input.address) && !foreign.has(refText(input)));
    requireJust(!own, `the platform has signed the transaction that made ${own && refText(own)}`);
  },
};
