import { readPaymentKeyHash } from '../../cardano/scripts/address.ts';
import { depositAddressOf } from '../../cardano/scripts/script-addresses.ts';
import { anchoredBatchOf } from '../anchored-batch.ts';
import type { AnchorEvidence, OfVault, UnsolicitedEvidence } from '../evidence.ts';
import { atLeastNothing, minAda } from '../min-ada.ts';
import {
  requireInputsAt,
  requireOutputsAt,
  requireJust,
  lifetime,
  type Rule,
  gainOf,
  negated,
  requireAssetsGained,
  requireOperatorGainsNothing,
  sumOf,
  type Judged,
} from '../policy.ts';
import { shownAddresses } from '../addresses.ts';
import { refText } from '../../transactions/rules.ts';

/** The operator records the root of a batch, and pays nothing but the fee. */
export const anchor: Rule<AnchorEvidence> = {
  keys: ['operator'],
  mayCarry: ['metadata'],
  lifetimeSeconds: lifetime.prepared,
  judge(judged, { root, count }) {
    const { operator, transaction } = judged;
    requireInputsAt(judged, [operator]);
    requireOutputsAt(judged, [operator]);
    const batch = anchoredBatchOf(transaction);
    requireJust(batch !== null, 'it anchors nothing');
    requireJust(batch.root === root && batch.count === count, 'it anchors another root');
  },
};

/** The operator pays itself. */
export const fanOut: Rule<object> = {
  keys: ['operator'],
  mayCarry: [],
  lifetimeSeconds: lifetime.prepared,
  judge(judged) {
    requireInputsAt(judged, [judged.operator]);
    requireOutputsAt(judged, [judged.operator]);
  },
};

/** What a vault has at addresses of before a rotation goes to its present ones, custody to custody; the operator pays for that. */
export const moveCustody: Rule<OfVault> = {
  keys: ['operator', 'vault'],
  mayCarry: ['datum'],
  lifetimeSeconds: lifetime.cosigned,
  operatorPays: raisedMinAda,
  judge(judged, { vault }) {
    const { operator } = judged;
    const { custody, liquidity, former } = vault;
    requireInputsAt(judged, [operator, ...former.custodies, ...former.liquidities]);
    requireOutputsAt(judged, [operator, custody, liquidity]);
    requireAssetsGained(judged, [custody], negated(gainOf(judged, former.custodies).assets));
    requireAssetsGained(judged, [liquidity], negated(gainOf(judged, former.liquidities).assets));
    requireOperatorGainsNothing(judged);
  },
};

/** Each output moves with what it holds; the operator adds what the ledger has come to ask for, where that is more. */
function raisedMinAda(judged: Judged): bigint {
  const { transaction, spent, operator } = judged;
  const isMoved = ({ address }: { readonly address: string }) => address !== operator;
  const outputs = transaction.outputs.filter(isMoved);
  const inputs = spent.filter(isMoved).toSorted((a, b) => Number(a.lovelace - b.lovelace));
  requireJust(outputs.length <= inputs.length, 'it divides what it moves');
  const smallest = outputs.filter((output) => output.lovelace <= minAda(judged, output));
  const needed = smallest.reduce((sum, output) => sum + minAda(judged, output), 0n);
  return atLeastNothing(needed - sumOf(inputs.slice(0, smallest.length)).lovelace);
}

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
