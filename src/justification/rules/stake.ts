import { paymentKeyHashOf } from '../../chain/scripts/address.ts';
import { stakeAddressOf } from '../../chain/scripts/script-addresses.ts';
import type { StakeEvidence } from '../evidence.ts';
import { requireAssetsGained, requireInputsAt, requireOutputsAt } from '../flows.ts';
import { lifetime, type Rule } from '../rule.ts';

/** The operator's own wallet stakes the recorded amount at its own stake script. Stakes of other wallets carry no signature of the platform. */
export const stake: Rule<StakeEvidence> = {
  keys: ['operator'],
  mayCarry: [],
  lifetimeSeconds: lifetime.requested,
  judge(judged, { stakeKeyHash: vaultKeyHash, releaseSlot, ftUnit, amount }) {
    const { operator, networkId } = judged;
    requireInputsAt(judged, [operator]);
    const owner = { ownerKeyHash: paymentKeyHashOf(operator), releaseSlot };
    const { address } = stakeAddressOf({ vaultKeyHash }, owner, networkId);
    requireOutputsAt(judged, [operator, address]);
    requireAssetsGained(judged, [address], new Map([[ftUnit, amount]]));
  },
};
