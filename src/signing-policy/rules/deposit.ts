import { depositAddressOf } from '../../cardano/scripts/script-addresses.ts';
import { paymentKeyHashOf } from '../../cardano/scripts/address.ts';
import type { OwnDepositEvidence } from '../evidence.ts';
import { requireInputsAt, requireOutputsAt } from '../flows.ts';
import { requireJust } from '../judged.ts';
import { lifetime, type Rule } from '../rule.ts';

/** An asset brings the ADA of so many outputs: one in custody and one of its owner. */
const DEPOSIT_OUTPUTS = 2n;

/**
 * The assets that the operator's own wallet adds stay its own until the vault settles: they go to the operator's deposit address. What
 * other wallets add carries no signature of the platform.
 */
export const deposit: Rule<OwnDepositEvidence> = {
  keys: ['operator'],
  mayCarry: [],
  lifetimeSeconds: lifetime.requested,
  operatorPays: ({ transaction, operator, minAda }) =>
    BigInt(transaction.outputs.filter(({ address }) => address !== operator).length) * DEPOSIT_OUTPUTS * minAda.ofToken,
  judge(judged, { vault, mayDeposit }) {
    requireJust(mayDeposit, "the operator's wallet adds no assets in this deployment");
    const { operator, networkId } = judged;
    requireInputsAt(judged, [operator]);
    const own = depositAddressOf(vault, paymentKeyHashOf(operator), networkId);
    requireOutputsAt(judged, [operator, own.address]);
  },
};
