import { readPaymentKeyHash } from '../../cardano/scripts/address.ts';
import { stakeAddressOf } from '../../cardano/scripts/script-addresses.ts';
import type { UnstakeEvidence } from '../evidence.ts';
import { requireInputsAt } from '../flows.ts';
import { requireJust } from '../judged.ts';
import { lifetime, type Rule } from '../rule.ts';

/** A stake returns whole to the key in its own script, which has to sign, too. */
export const unstake: Rule<UnstakeEvidence> = {
  keys: ['operator', 'vault'],
  mayCarry: [],
  lifetimeSeconds: lifetime.requested,
  judge(judged, { stakeKeyHash: vaultKeyHash, releaseSlot }) {
    const { transaction, networkId } = judged;
    const owners = new Set(transaction.outputs.map(({ address }) => readPaymentKeyHash(address)));
    const [ownerKeyHash] = owners;
    requireJust(owners.size === 1 && ownerKeyHash !== undefined, 'it pays others than one owner');
    requireInputsAt(judged, [stakeAddressOf({ vaultKeyHash }, { ownerKeyHash, releaseSlot }, networkId).address]);
    const { requiredSigners } = transaction;
    requireJust(requiredSigners.includes(ownerKeyHash), 'its body does not name the owner as a signer');
  },
};
