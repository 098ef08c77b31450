import { depositAddressOf } from '../../chain/scripts/script-addresses.ts';
import { paymentKeyHashOf } from '../../chain/scripts/address.ts';
import type { OfVault } from '../evidence.ts';
import { requireInputsAt, requireOutputsAt } from '../flows.ts';
import { lifetime, type Rule } from '../rule.ts';

/**
 * What the operator's own wallet deposits stays its own until the vault settles: it goes to the operator's deposit address. Deposits of
 * other wallets carry no signature of the platform.
 */
export const deposit: Rule<OfVault> = {
  keys: ['operator'],
  mayCarry: [],
  lifetimeSeconds: lifetime.requested,
  judge(judged, { vault }) {
    const { operator, networkId } = judged;
    requireInputsAt(judged, [operator]);
    const own = depositAddressOf(vault, paymentKeyHashOf(operator), networkId);
    requireOutputsAt(judged, [operator, own.address]);
  },
};
