import { sql } from 'kysely';
import type { StepsSnapshot } from '../domain/termination/steps.ts';
import type { Pot } from '../domain/termination/pot.ts';
import type { TerminationEnd } from '../domain/termination/termination-end.ts';
import type { TransactionState } from '../domain/transaction/transaction-state.ts';
import { type Instant } from '../domain/units/instant.ts';
import { baseUnits, lovelace } from '../domain/units/money.ts';
import { jsonInstant, type JsonTime } from './json-columns.ts';

/** The end of a settled vault with what its steps depend on. */
export interface ViewedTermination extends Omit<StepsSnapshot, 'terminatedAt'> {
  /** Whether an execution was sent that is not final. */
  readonly awaitsExecution: boolean;
  /** Null until holders can claim. */
  readonly pot: Pot | null;
  readonly claimDeadline: Instant | null;
  readonly remainingAssetsTo: string | null;
  readonly unclaimedLovelaceTo: string | null;
}

export interface ViewedTerminationJson {
  readonly hasLiveProposals: boolean;
  readonly awaitsExecution: boolean;
  readonly transactions: readonly {
    readonly kind: string;
    readonly hash: string;
    readonly state: TransactionState;
    readonly at: JsonTime;
  }[];
  readonly potLovelace: string;
  readonly circulating: string;
  readonly claimsOpenedAt: JsonTime | null;
  readonly claimDeadline: JsonTime | null;
  readonly remainingAssetsTo: string | null;
  readonly unclaimedLovelaceTo: string | null;
  readonly handsOver: boolean;
  readonly endedBecause: TerminationEnd | null;
}

/** The end of a vault as a column of a statement that reads vaults; null while it has not begun. */
export const viewedTermination = sql<ViewedTerminationJson | null>`(select json_build_object(
  'hasLiveProposals',
    exists (select from proposals p where p.vault_id = t.vault_id and p.status in ('DRAFT', 'ACTIVE', 'PASSED')),
  'awaitsExecution', exists (select from chain_transactions c where c.vault_id = t.vault_id and c.kind = 'execute'
    and c.state in ('pending', 'submitted', 'confirmed')),
  'transactions', (select coalesce(json_agg(json_build_object('kind', kind, 'hash', hash, 'state', state, 'at', updated_at)
    order by created_at, id), '[]') from chain_transactions c
    where c.vault_id = t.vault_id and kind in ('gather_pot', 'hand_over', 'pay_remainder', 'close_vault')),
  'potLovelace', pot_lovelace::text, 'circulating', circulating::text,
  'claimsOpenedAt', claims_opened_at, 'claimDeadline', claim_deadline, 'remainingAssetsTo', remaining_assets_to,
  'unclaimedLovelaceTo', unclaimed_lovelace_to, 'handsOver', jsonb_array_length(handed_assets) > 0,
  'endedBecause', ended_because) from terminations t where t.vault_id = vaults.id)`;

/** Reads the column `viewedTermination`. */
export function readViewedTermination(json: ViewedTerminationJson | null): ViewedTermination | null {
  if (json === null) return null;
  const { claimsOpenedAt, claimDeadline, remainingAssetsTo, unclaimedLovelaceTo, awaitsExecution } = json;
  const opened = claimsOpenedAt === null ? null : jsonInstant(claimsOpenedAt);
  return {
    awaitsProposals: opened === null && (json.hasLiveProposals || awaitsExecution),
    awaitsExecution,
    transactions: json.transactions.map((one) => ({ ...one, at: jsonInstant(one.at) })),
    claimsOpenedAt: opened,
    claimDeadline: claimDeadline === null ? null : jsonInstant(claimDeadline),
    pot:
      opened === null
        ? null
        : { lovelace: lovelace(BigInt(json.potLovelace)), circulating: baseUnits(BigInt(json.circulating)) },
    remainingAssetsTo,
    unclaimedLovelaceTo,
    namesAssetRecipient: json.handsOver || remainingAssetsTo !== null,
    namesLovelaceRecipient: unclaimedLovelaceTo !== null,
    endedBecause: json.endedBecause,
  };
}
