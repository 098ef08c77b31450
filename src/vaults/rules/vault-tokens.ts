import { policyOf } from '../../assets/rules/unit.ts';

/** What decides which assets are a vault's own tokens. */
export interface TokensOfVault {
  /** Policy of its NFT. */
  readonly policyId: string;
  /** Null until the fractional token is built. */
  readonly ftUnit: string | null;
}

/** Whether a unit is a vault's NFT, its fractional token or the reference token of that. */
export function isVaultToken(unit: string, { policyId, ftUnit }: TokensOfVault): boolean {
  const policy = policyOf(unit);
  return policy === policyId || (ftUnit !== null && policy === policyOf(ftUnit));
}
