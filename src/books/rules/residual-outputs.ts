import { policyOf } from '../../assets/rules/asset.ts';
import type { TransactionKind } from '../../transactions/rules.ts';
import { type VaultStatus, type VaultAddressKind, isVaultToken, type TokensOfVault } from '../../vaults/rules/vault.ts';

/** Why the ledger still holds an output at an address of a vault; the first that fits, in this order. */
export const residualReasons = [
  'unsolicited',
  'deposit',
  'stake',
  'in_settlement',
  'liquidity_share',
  'vault_token',
  'reference_token',
  'asset_without_recipient',
  'in_custody',
  'pot',
  'kept_share',
  'redeemed_tokens',
  'unclaimed_lovelace',
] as const;
export type ResidualReason = (typeof residualReasons)[number];

/** An unspent output at an address of a vault. */
export interface HeldOutput {
  readonly place: VaultAddressKind;
  /** Kind of the transaction of the platform that made it; null for any other. */
  readonly madeBy: TransactionKind | null;
  readonly isUnsolicited: boolean;
  readonly units: readonly string[];
}

/** The vault that the output lies with. */
export interface ResidualVault extends TokensOfVault {
  readonly status: VaultStatus;
  /** Whether holders can claim what is left of the pot, although the vault has ended. */
  readonly isPotKept: boolean;
}

/** Why the ledger still holds an output (design D31). */
export function residualReason(output: HeldOutput, vault: ResidualVault): ResidualReason {
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

function keptReason(output: HeldOutput, vault: ResidualVault): ResidualReason {
  const ofToken = tokenReason(output, vault);
  if (ofToken !== null) return ofToken;
  const hasEnded = vault.status === 'TERMINATED';
  if (output.units.some((unit) => unit !== vault.ftUnit)) return hasEnded ? 'asset_without_recipient' : 'in_custody';
  if (isOfPot(output, vault)) return 'pot';
  if (output.madeBy === 'liquidity' || output.madeBy === 'move_kept') return 'kept_share';
  if (output.units.length > 0) return 'redeemed_tokens';
  return hasEnded ? 'unclaimed_lovelace' : 'in_custody';
}

function isOfPot({ place }: HeldOutput, { status, isPotKept }: ResidualVault): boolean {
  return place === 'claims' && (status !== 'TERMINATED' || isPotKept);
}

function tokenReason({ units }: HeldOutput, { policyId, ftUnit }: TokensOfVault): ResidualReason | null {
  if (units.some((unit) => policyOf(unit) === policyId)) return 'vault_token';
  const isReference = units.some((unit) => unit !== ftUnit && isVaultToken(unit, { policyId, ftUnit }));
  return isReference ? 'reference_token' : null;
}
