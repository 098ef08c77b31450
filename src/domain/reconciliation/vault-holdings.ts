import type { Balance } from '../vault/statement.ts';
import type { VaultAddressKind } from '../vault/vault-address.ts';
import type { LedgerView, VaultBooks } from './books.ts';

/** Hex digits of a policy id; the name of an asset follows it. */
const POLICY_LENGTH = 56;

/** The policies of a vault's own tokens: of its NFT, and of its fractional token once that is built. */
export function tokenPolicies({ policyId, ftUnit }: Pick<VaultBooks['vault'], 'policyId' | 'ftUnit'>): string[] {
  return ftUnit === null ? [policyId] : [policyId, ftUnit.slice(0, POLICY_LENGTH)];
}

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
