import { readPaymentKeyHash } from '../../cardano/scripts/address.ts';
import { depositAddressOf } from '../../cardano/scripts/script-addresses.ts';
import type { AnchorEvidence, OfVault, UnsolicitedEvidence } from '../evidence.ts';
import { atLeastNothing, minAda } from '../min-ada.ts';
import {
  anchoredBatchOf,
  requireInputsAt,
  requireOutputsAt,
  assertAllowed,
  lifetime,
  type Rule,
  gainOf,
  negated,
  requireAssetsGained,
  requireOperatorGainsNothing,
  sumOf,
  type SigningRequest,
} from '../policy.ts';
import { ownerAddresses } from '../addresses.ts';
import { refText } from '../../transactions/rules.ts';

/** The operator records the root of a batch, and pays nothing but the fee. */
export const anchor: Rule<AnchorEvidence> = {
  keys: ['operator'],
  mayCarry: ['metadata'],
  lifetimeSeconds: lifetime.prepared,
  evaluate(request, { root, count }) {
    const { operator, transaction } = request;
    requireInputsAt(request, [operator]);
    requireOutputsAt(request, [operator]);
    const batch = anchoredBatchOf(transaction);
    assertAllowed(batch !== null, 'it anchors nothing');
    assertAllowed(batch.root === root && batch.count === count, 'it anchors another root');
  },
};

/** The operator pays itself. */
export const fanOut: Rule<object> = {
  keys: ['operator'],
  mayCarry: [],
  lifetimeSeconds: lifetime.prepared,
  evaluate(request) {
    requireInputsAt(request, [request.operator]);
    requireOutputsAt(request, [request.operator]);
  },
};

/** What a vault has at addresses of before a rotation goes to its present ones, custody to custody; the operator pays for that. */
export const moveCustody: Rule<OfVault> = {
  keys: ['operator', 'vault'],
  mayCarry: ['datum'],
  lifetimeSeconds: lifetime.cosigned,
  operatorPays: raisedMinAda,
  evaluate(request, { vault }) {
    const { operator } = request;
    const { custody, liquidity, former } = vault;
    requireInputsAt(request, [operator, ...former.custodies, ...former.liquidities]);
    requireOutputsAt(request, [operator, custody, liquidity]);
    requireAssetsGained(request, [custody], negated(gainOf(request, former.custodies).assets));
    requireAssetsGained(request, [liquidity], negated(gainOf(request, former.liquidities).assets));
    requireOperatorGainsNothing(request);
  },
};

/** Each output moves with what it holds; the operator adds what the ledger has come to ask for, where that is more. */
function raisedMinAda(request: SigningRequest): bigint {
  const { transaction, spent, operator } = request;
  const isMoved = ({ address }: { readonly address: string }) => address !== operator;
  const outputs = transaction.outputs.filter(isMoved);
  const inputs = spent.filter(isMoved).toSorted((a, b) => Number(a.lovelace - b.lovelace));
  assertAllowed(outputs.length <= inputs.length, 'it divides what it moves');
  const smallest = outputs.filter((output) => output.lovelace <= minAda(request, output));
  const needed = smallest.reduce((sum, output) => sum + minAda(request, output), 0n);
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
  evaluate({ transaction, spent, paidBy, networkId }, { vault, foreign }) {
    const [to, ...others] = new Set(transaction.outputs.map(({ address }) => address));
    assertAllowed(to !== undefined && others.length === 0, 'it pays several addresses');
    const owner = readPaymentKeyHash(to);
    const deposits = owner === undefined ? [] : [depositAddressOf(vault, owner, networkId).address];
    requireInputsAt({ spent }, [...vault.own, ...deposits]);
    for (const { txHash } of spent.filter(({ address }) => deposits.includes(address))) {
      const shown = ownerAddresses(paidBy.get(txHash), owner);
      assertAllowed(shown.length === 0 || shown.includes(to), `the change of ${txHash} went to ${shown.join()}`);
    }
    const own = spent.find((input) => vault.own.includes(input.address) && !foreign.has(refText(input)));
    assertAllowed(!own, `the platform has signed the transaction that made ${own && refText(own)}`);
  },
};
