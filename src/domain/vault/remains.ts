import type { TransactionKind } from '../transaction/transaction-state.ts';
import type { VaultStatus } from './vault.ts';
import type { VaultAddressKind } from './vault-address.ts';

/** Why the ledger still holds an output at an address of a vault; the first that fits, in this order. */
export const remainReasons = [
  'unsolicited',
  'deposit',
  'stake',
  'in_settlement',
  'liquidity_share',
  'vault_token',
  'reference_token',
  'asset_without_recipient',
  'in_custody',
  'kept_share',
  'redeemed_tokens',
  'pot',
  'unclaimed_lovelace',
] as const;
export type RemainReason = (typeof remainReasons)[number];

/** An unspent output at an address of a vault. */
export interface HeldOutput {
  readonly place: VaultAddressKind;
  /** Kind of the transaction of the platform that made it; null for any other. */
  readonly madeBy: TransactionKind | null;
  readonly isUnsolicited: boolean;
  readonly units: readonly string[];
}

/** What decides which assets are the vault's own tokens. */
export interface TokensOfVault {
  readonly status: VaultStatus;
  /** Policy of its NFT. */
  readonly policyId: string;
  readonly ftUnit: string | null;
}

/** Hex digits of a policy id; the name of an asset follows it. */
const POLICY_LENGTH = 56;

/** Why the ledger still holds an output (design D31). */
export function remainReason(output: HeldOutput, vault: TokensOfVault): RemainReason {
  if (output.isUnsolicited) return 'unsolicited';
  switch (output.place) {
    case 'deposit':
    case 'stake':
      return output.place;
    case 'settlement':
      return 'in_settlement';
    case 'liquidity':
      return 'liquidity_share';
    case 'custody':
    case 'claims':
      return keptReason(output, vault);
  }
}

function keptReason(output: HeldOutput, vault: TokensOfVault): RemainReason {
  const ofToken = tokenReason(output, vault);
  if (ofToken !== null) return ofToken;
  const hasEnded = vault.status === 'TERMINATED';
  if (output.units.some((unit) => unit !== vault.ftUnit)) return hasEnded ? 'asset_without_recipient' : 'in_custody';
  if (output.place === 'claims' && !hasEnded) return 'pot';
  if (output.madeBy === 'liquidity') return 'kept_share';
  if (output.units.length > 0) return 'redeemed_tokens';
  return hasEnded ? 'unclaimed_lovelace' : 'in_custody';
}

function tokenReason({ units }: HeldOutput, { policyId, ftUnit }: TokensOfVault): RemainReason | null {
  const isOf = (policy: string | undefined) => (unit: string) => unit.slice(0, POLICY_LENGTH) === policy;
  if (units.some(isOf(policyId))) return 'vault_token';
  const others = units.filter((unit) => unit !== ftUnit);
  return others.some(isOf(ftUnit?.slice(0, POLICY_LENGTH))) ? 'reference_token' : null;
}
