import { type Selectable, sql, type UpdateObject } from 'kysely';
import type { Database, Db, Transaction } from '../../platform/database/database.ts';
import { jsonInstant, type JsonTime } from '../../platform/database/stored-json.ts';
import type { TerminationsTable } from '../../platform/database/tables/vaults.ts';
import type { TransactionContext } from '../../platform/database/unit-of-work.ts';
import { type Instant, instant } from '../../platform/units/time.ts';
import { baseUnits, type Lovelace, lovelace } from '../../platform/units/money.ts';
import type { Grace, SaleExtension } from '../rules/claims.ts';
import type { HandedAsset, Pot } from '../rules/pot.ts';
import type { TerminationEnd, StepsSnapshot, ReturnSnapshot } from '../rules/steps.ts';
import type { TransactionState } from '../../transactions/rules.ts';

/** The end of a settled vault (design D31). */
export interface Termination {
  readonly vaultId: string;
  readonly decidedAt: Instant;
  /** Addresses; null when the decision and the creation of the vault name nobody. */
  readonly remainingAssetsTo: string | null;
  readonly unclaimedLovelaceTo: string | null;
  readonly handedAssets: readonly HandedAsset[];
  /** How long holders can claim, in seconds. */
  readonly claimSeconds: number;
  /** What the operator added for the min-ADA of the pot's outputs. */
  readonly float: Lovelace;
  readonly pot: Pot;
  /** Both null until the pot is gathered. */
  readonly claimsOpenedAt: Instant | null;
  readonly claimDeadline: Instant | null;
  /** By how many seconds signed claims that were not confirmed have moved the deadline. */
  readonly graceSeconds: number;
  /** By how many seconds sales have moved it. */
  readonly saleSeconds: number;
  readonly endedBecause: TerminationEnd | null;
}

export type NewTermination = Pick<
  Termination,
  'vaultId' | 'remainingAssetsTo' | 'unclaimedLovelaceTo' | 'handedAssets' | 'claimSeconds'
>;

/** Records that a vault ends, once; returns false when that was recorded before. */
export async function insertTermination(
  { tx, now }: TransactionContext,
  termination: NewTermination,
): Promise<boolean> {
  const inserted = await tx
    .insertInto('terminations')
    .values({
      vault_id: termination.vaultId,
      decided_at: new Date(now),
      remaining_assets_to: termination.remainingAssetsTo,
      unclaimed_lovelace_to: termination.unclaimedLovelaceTo,
      handed_assets: JSON.stringify(termination.handedAssets),
      claim_seconds: termination.claimSeconds,
    })
    .onConflict((conflict) => conflict.column('vault_id').doNothing())
    .returning('vault_id')
    .executeTakeFirst();
  return inserted !== undefined;
}

/** Forgets the end of a vault, of which nothing has happened yet. */
export async function deleteTermination(tx: Transaction, vaultId: string): Promise<void> {
  await tx.deleteFrom('terminations').where('vault_id', '=', vaultId).execute();
}

export async function findTermination(db: Db | Transaction, vaultId: string): Promise<Termination | null> {
  const row = await db.selectFrom('terminations').selectAll().where('vault_id', '=', vaultId).executeTakeFirst();
  return row ? readTermination(row) : null;
}

export async function getTermination(db: Db | Transaction, vaultId: string): Promise<Termination> {
  const termination = await findTermination(db, vaultId);
  if (!termination) throw new Error(`vault ${vaultId} does not end`);
  return termination;
}

/** Whether the end of a settled vault is certain. */
export async function isTerminating(tx: Transaction, vaultId: string): Promise<boolean> {
  return (
    (await tx.selectFrom('terminations').select('vault_id').where('vault_id', '=', vaultId).executeTakeFirst()) !==
    undefined
  );
}

/** The row lock is the order in which claims and credits change the pot. */
export async function lockTermination(tx: Transaction, vaultId: string): Promise<Termination | null> {
  const row = await tx
    .selectFrom('terminations')
    .selectAll()
    .where('vault_id', '=', vaultId)
    .forUpdate()
    .executeTakeFirst();
  return row ? readTermination(row) : null;
}

interface OpenedClaims extends Pick<Termination, 'pot' | 'float'> {
  readonly claimDeadline: Instant;
  /** Whether the platform has no key for the liquidity share. */
  readonly isLiquidityElsewhere: boolean;
}

/** Opens the claims of holders with what was gathered for them. */
export async function openClaims(
  { tx, now }: TransactionContext,
  vaultId: string,
  { pot, float, claimDeadline, isLiquidityElsewhere }: OpenedClaims,
): Promise<void> {
  await tx
    .updateTable('terminations')
    .set({
      pot_lovelace: pot.lovelace,
      circulating: pot.circulating,
      float_lovelace: float,
      claims_opened_at: new Date(now),
      claim_deadline: new Date(claimDeadline),
      liquidity_elsewhere: isLiquidityElsewhere,
    })
    .where('vault_id', '=', vaultId)
    .execute();
  await tx.updateTable('vaults').set({ claims_open: true }).where('id', '=', vaultId).execute();
}

/** Lets holders claim for longer, because the price of a sale came into the pot. */
export function setSaleExtension(
  tx: Transaction,
  vaultId: string,
  { claimDeadline, saleSeconds }: SaleExtension,
): Promise<Termination | null> {
  return changed(tx, vaultId, { claim_deadline: new Date(claimDeadline), sale_seconds: saleSeconds });
}

/** Lets holders claim for longer, because a claim that was signed in time was not confirmed. */
export function setGrace(
  tx: Transaction,
  vaultId: string,
  { claimDeadline, graceSeconds }: Grace,
): Promise<Termination | null> {
  return changed(tx, vaultId, { claim_deadline: new Date(claimDeadline), grace_seconds: graceSeconds });
}

/** Records that the claims are over, and why. */
export async function setEnded(
  { tx, now }: TransactionContext,
  vaultId: string,
  end: TerminationEnd,
): Promise<Termination | null> {
  const ended = await changed(tx, vaultId, { ended_because: end, claims_ended_at: new Date(now) });
  await tx.updateTable('vaults').set({ claims_open: false }).where('id', '=', vaultId).execute();
  return ended;
}

/** Takes back that the claims are over. */
export async function reopenClaims(tx: Transaction, vaultId: string): Promise<Termination | null> {
  const reopened = await changed(tx, vaultId, { ended_because: null, claims_ended_at: null });
  await tx.updateTable('vaults').set({ claims_open: true }).where('id', '=', vaultId).execute();
  return reopened;
}

/** Takes back that holders can claim, or could: their pot is gathered again. What was counted is counted again then. */
export async function withdrawClaims(tx: Transaction, vaultId: string): Promise<void> {
  const change = { claims_opened_at: null, claim_deadline: null, ended_because: null, claims_ended_at: null };
  await tx.updateTable('terminations').set(change).where('vault_id', '=', vaultId).execute();
  await tx.updateTable('vaults').set({ claims_open: false }).where('id', '=', vaultId).execute();
}

/** Adds to the pot and to what circulates; negative amounts take away. Refused by the schema below zero. */
export function changePot(
  tx: Transaction,
  vaultId: string,
  change: { readonly lovelace: bigint; readonly circulating?: bigint },
): Promise<Termination | null> {
  return changed(tx, vaultId, {
    pot_lovelace: sql`pot_lovelace + ${change.lovelace}::numeric`,
    circulating: sql`circulating + ${change.circulating ?? 0n}::numeric`,
  });
}

/** What a change makes of it; null when the end of the vault is not decided. */
async function changed(
  tx: Transaction,
  vaultId: string,
  change: UpdateObject<Database, 'terminations'>,
): Promise<Termination | null> {
  const row = await tx
    .updateTable('terminations')
    .set(change)
    .where('vault_id', '=', vaultId)
    .returningAll()
    .executeTakeFirst();
  return row ? readTermination(row) : null;
}

function readTermination(row: Selectable<TerminationsTable>): Termination {
  return {
    vaultId: row.vault_id,
    decidedAt: instant(row.decided_at),
    remainingAssetsTo: row.remaining_assets_to,
    unclaimedLovelaceTo: row.unclaimed_lovelace_to,
    handedAssets: row.handed_assets,
    claimSeconds: row.claim_seconds,
    float: lovelace(BigInt(row.float_lovelace)),
    pot: { lovelace: lovelace(BigInt(row.pot_lovelace)), circulating: baseUnits(BigInt(row.circulating)) },
    claimsOpenedAt: row.claims_opened_at && instant(row.claims_opened_at),
    claimDeadline: row.claim_deadline && instant(row.claim_deadline),
    graceSeconds: row.grace_seconds,
    saleSeconds: row.sale_seconds,
    endedBecause: row.ended_because,
  };
}

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

/** The transactions that return the deposits of a vault which failed or was cancelled. */
export type ViewedReturns = Pick<ReturnSnapshot, 'newest' | 'finalTransactions'>;

export interface ViewedReturnsJson {
  readonly finalTransactions: number;
  readonly newest: { readonly hash: string; readonly state: TransactionState; readonly at: JsonTime } | null;
}

/** These transactions as a column of a statement that reads vaults; null for a vault that was settled, or continues. */
export const viewedReturns = sql<ViewedReturnsJson | null>`case
  when vaults.locked_at is null and coalesce(vaults.termination_reason, vaults.failed_because) is not null then (
    select json_build_object('finalTransactions', count(*) filter (where c.state = 'final'),
      'newest', (array_agg(json_build_object('hash', c.hash, 'state', c.state, 'at', c.updated_at)
        order by c.created_at desc, c.id desc))[1])
    from chain_transactions c where c.vault_id = vaults.id and c.kind = 'refund') end`;

/** Reads the column `viewedReturns`. */
export function readViewedReturns(json: ViewedReturnsJson | null): ViewedReturns | null {
  if (json === null) return null;
  return { ...json, newest: json.newest && { ...json.newest, at: jsonInstant(json.newest.at) } };
}
