import type { Balance } from './statement.ts';
import type { VaultAddressKind } from '../../vaults/rules/vault-address.ts';
import type { LedgerView, VaultBooks } from './books.ts';

/** What the ledger holds at some places of a vault, without what nobody asked for. */
export function vaultHoldings(
  { outputs }: Pick<VaultBooks, 'outputs'>,
  ledger: LedgerView,
  places: readonly VaultAddressKind[],
): Balance[] {
  return outputs
    .filter(({ place, isUnsolicited }) => !isUnsolicited && places.includes(place))
    .flatMap(({ ref }) => ledger.outputs.get(ref) ?? []);
}
