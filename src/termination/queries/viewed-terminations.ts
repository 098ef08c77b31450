import { sql } from 'kysely';
import type { HandedAsset } from '../rules/handed-assets.ts';
import type { StepsSnapshot } from '../rules/steps.ts';
import type { Pot } from '../rules/pot.ts';
import type { TerminationEnd } from '../rules/termination-end.ts';
import type { TransactionState } from '../../transactions/rules/transaction-state.ts';
import { type Instant } from '../../platform/units/instant.ts';
import { baseUnits, lovelace } from '../../platform/units/money.ts';
import { jsonInstant, type JsonTime } from '../../platform/database/json-columns.ts';

/** What of the steps follows from the vault itself, and from when it is read. */
type StepsOfVault = Pick<StepsSnapshot, 'now' | 'isSettled' | 'isRotating' | 'holds' | 'terminatedAt'>;

/** The end of a settled vault with what its steps depend on. */
export interface ViewedTermination extends Omit<StepsSnapshot, keyof StepsOfVault> {
  /** Null until holders can claim. */
  readonly pot: Pot | null;
  /** Who gets which assets, as far as the decision names them. */
  readonly handedAssets: readonly HandedAsset[];
  readonly remainingAssetsTo: string | null;
  readonly unclaimedLovelaceTo: string | null;
}

type Times = 'gatheringBegunAt' | 'claimsOpenedAt' | 'claimDeadline' | 'claimsEndedAt';
type Flags = 'hasLiveProposals' | 'awaitsExecution' | 'awaitsClaim' | 'hasAssets' | 'hasAssetsToHand';

export interface ViewedTerminationJson
  extends Readonly<Record<Times, JsonTime | null>>, Readonly<Record<Flags, boolean>> {
  readonly transactions: readonly {
    readonly kind: string;
    readonly hash: string;
    readonly state: TransactionState;
    readonly expiresAt: JsonTime;
    readonly at: JsonTime;
  }[];
  readonly potLovelace: string;
  readonly circulating: string;
  readonly remainingAssetsTo: string | null;
  readonly unclaimedLovelaceTo: string | null;
  readonly handedAssets: readonly HandedAsset[];
  readonly isLiquidityElsewhere: boolean | null;
  readonly endedBecause: TerminationEnd | null;
}

const transactionsOfVault = sql`from chain_transactions c where c.vault_id = t.vault_id and c.kind`;
const isUnderWay = sql`c.state in ('pending', 'submitted', 'confirmed')`;
const heldAssets = sql`from assets a where a.vault_id = t.vault_id and a.status = 'LOCKED'`;
/** Once the claims are over, all assets go to the wallet for those that are left. One that is staked elsewhere cannot move. */
const canBeHanded = sql`a.staking_address is null and ((t.remaining_assets_to is not null and t.ended_because is not null)
  or t.handed_assets @> jsonb_build_array(jsonb_build_object('assetId', a.id)))`;

/** The end of a vault as a column of a statement that reads vaults; null while it has not begun. */
export const viewedTermination = sql<ViewedTerminationJson | null>`(select json_build_object(
  'hasLiveProposals',
    exists (select from proposals p where p.vault_id = t.vault_id and p.status in ('DRAFT', 'ACTIVE', 'PASSED')),
  'awaitsExecution', exists (select ${transactionsOfVault} = 'execute' and ${isUnderWay}),
  'awaitsClaim', exists (select ${transactionsOfVault} = 'claim' and ${isUnderWay}),
  'hasAssets', exists (select ${heldAssets}),
  'hasAssetsToHand', exists (select ${heldAssets} and ${canBeHanded}),
  'transactions', (select coalesce(json_agg(json_build_object('kind', kind, 'hash', hash, 'state', state, 'expiresAt', expires_at,
    'at', updated_at) order by created_at, id), '[]')
    ${transactionsOfVault} in ('gather_pot', 'hand_over', 'pay_remainder', 'close_vault')),
  'gatheringBegunAt', (select min(created_at) ${transactionsOfVault} = 'gather_pot'),
  'potLovelace', pot_lovelace::text, 'circulating', circulating::text,
  'claimsOpenedAt', claims_opened_at, 'claimDeadline', claim_deadline, 'claimsEndedAt', claims_ended_at,
  'remainingAssetsTo', remaining_assets_to, 'unclaimedLovelaceTo', unclaimed_lovelace_to, 'handedAssets', handed_assets,
  'isLiquidityElsewhere', liquidity_elsewhere, 'endedBecause', ended_because)
  from terminations t where t.vault_id = vaults.id)`;

/** Reads the column `viewedTermination`. */
export function readViewedTermination(json: ViewedTerminationJson | null): ViewedTermination | null {
  if (json === null) return null;
  const {
    handedAssets,
    remainingAssetsTo,
    unclaimedLovelaceTo,
    potLovelace,
    circulating: circulatingText,
    ...read
  } = json;
  const [pot, circulating] = [lovelace(BigInt(potLovelace)), baseUnits(BigInt(circulatingText))];
  const claimsOpenedAt = timeOf(json.claimsOpenedAt);
  const isOpened = claimsOpenedAt !== null;
  const namesLastAssetRecipient = remainingAssetsTo !== null;
  return {
    ...read,
    transactions: json.transactions.map((one) => ({
      ...one,
      expiresAt: jsonInstant(one.expiresAt),
      at: jsonInstant(one.at),
    })),
    gatheringBegunAt: timeOf(json.gatheringBegunAt),
    claimsOpenedAt,
    claimDeadline: timeOf(json.claimDeadline),
    claimsEndedAt: timeOf(json.claimsEndedAt),
    pot: isOpened ? { lovelace: pot, circulating } : null,
    isPotEmpty: isOpened && pot === 0n,
    handedAssets,
    remainingAssetsTo,
    unclaimedLovelaceTo,
    namesAssetRecipient: handedAssets.length > 0 || namesLastAssetRecipient,
    namesLastAssetRecipient,
    namesLovelaceRecipient: unclaimedLovelaceTo !== null,
    hasOwnerlessAssets: isOpened && circulating === 0n && json.hasAssets && !namesLastAssetRecipient,
  };
}

function timeOf(time: JsonTime | null): Instant | null {
  return time === null ? null : jsonInstant(time);
}
