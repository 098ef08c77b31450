import { paymentKeyHashOf, readPaymentKeyHash } from '../../cardano/scripts/address.ts';
import { depositAddressOf, stakeAddressOf } from '../../cardano/scripts/script-addresses.ts';
import type { OwnDepositEvidence, UnstakeEvidence } from '../evidence.ts';
import { lifetime, type Rule, requireInputsAt, requireOutputsAt, assertAllowed } from '../policy.ts';

/** Wallets alone sign it: whatever rows say, the operator's own wallet neither invests nor stakes, which would give its ADA away. */
export const ofWallets: Rule<object> = {
  keys: [],
  mayCarry: [],
  lifetimeSeconds: lifetime.requested,
  evaluate: () => undefined,
};

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
  evaluate(request, { vault, mayDeposit }) {
    assertAllowed(mayDeposit, "the operator's wallet adds no assets in this deployment");
    const { operator, networkId } = request;
    requireInputsAt(request, [operator]);
    const own = depositAddressOf(vault, paymentKeyHashOf(operator), networkId);
    requireOutputsAt(request, [operator, own.address]);
  },
};

/** A stake returns whole to the key in its own script, which has to sign, too. */
export const unstake: Rule<UnstakeEvidence> = {
  keys: ['operator', 'vault'],
  mayCarry: [],
  lifetimeSeconds: lifetime.requested,
  evaluate(request, { stakeKeyHash: vaultKeyHash, releaseSlot }) {
    const { transaction, networkId } = request;
    const owners = new Set(transaction.outputs.map(({ address }) => readPaymentKeyHash(address)));
    const [ownerKeyHash] = owners;
    assertAllowed(owners.size === 1 && ownerKeyHash !== undefined, 'it pays others than one owner');
    requireInputsAt(request, [stakeAddressOf({ vaultKeyHash }, { ownerKeyHash, releaseSlot }, networkId).address]);
    const { requiredSigners } = transaction;
    assertAllowed(requiredSigners.includes(ownerKeyHash), 'its body does not name the owner as a signer');
  },
};
