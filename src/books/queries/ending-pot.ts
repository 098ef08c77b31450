import { sql } from 'kysely';
import type { ClaimableVault } from '../../termination/rules/claims/claim.ts';
import { baseUnits, lovelace } from '../../platform/units/money.ts';

/** What is left for the holders of a vault that ends. */
export type EndingPot = Pick<ClaimableVault, 'pot' | 'unclaimedLovelaceTo'>;

interface EndingPotJson extends Pick<EndingPot, 'unclaimedLovelaceTo'> {
  readonly lovelace: string;
  readonly circulating: string;
}

/** The pot of a vault as a column; null for one that does not end. */
export function endingPot(vaultId: string) {
  return sql<EndingPotJson | null>`(select json_build_object('unclaimedLovelaceTo', unclaimed_lovelace_to,
    'lovelace', pot_lovelace::text, 'circulating', circulating::text) from terminations where vault_id = ${vaultId})`;
}

/** Reads the column `endingPot`. */
export function readEndingPot({ unclaimedLovelaceTo, lovelace: left, circulating }: EndingPotJson): EndingPot {
  const pot = { lovelace: lovelace(BigInt(left)), circulating: baseUnits(BigInt(circulating)) };
  return { pot, unclaimedLovelaceTo };
}
