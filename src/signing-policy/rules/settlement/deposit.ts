import { paymentKeyHashOf } from '../../../cardano/scripts/address.ts';
import { depositAddressOf } from '../../../cardano/scripts/script-addresses.ts';
import type { Utxo } from '../../../cardano/transaction.ts';
import type { OwedDelivery } from '../../../settlement/rules/owed-delivery.ts';
import { refText } from '../../../transactions/rules/utxo-ref.ts';
import { requireInputsAt } from '../../flows.ts';
import { type Judged, requireJust } from '../../judged.ts';
import type { VaultPlaces } from '../../places.ts';

/** More than any delivery deposit: what a deposit holds beyond it is invested. */
const LARGEST_DELIVERY_DEPOSIT = 20_000_000n;

/** Throws unless an output is a deposit of the owner to whom something is owed for it, and holds what they have invested. */
export function requireDeposit(
  { networkId }: Pick<Judged, 'networkId'>,
  vault: VaultPlaces,
  held: Utxo,
  { owner, invested }: Pick<OwedDelivery, 'owner' | 'invested'>,
): void {
  const { address } = depositAddressOf(vault, paymentKeyHashOf(owner), networkId);
  requireInputsAt({ spent: [held] }, [address]);
  const kept = held.lovelace - invested;
  requireJust(kept >= 0n && kept <= LARGEST_DELIVERY_DEPOSIT, `${refText(held)} does not hold its investment`);
  requireJust(invested === 0n || held.assets.size === 0, `${refText(held)} holds assets besides its investment`);
}
