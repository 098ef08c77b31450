import { type Selectable, sql, type UpdateObject } from 'kysely';
import type { Grace } from '../rules/claims/grace.ts';
import type { SaleExtension } from '../rules/claims/sale-extension.ts';
import type { HandedAsset } from '../rules/handed-assets.ts';
import type { Pot } from '../rules/pot.ts';
import type { TerminationEnd } from '../rules/termination-end.ts';
import { type Instant, instant } from '../../platform/units/instant.ts';
import { baseUnits, type Lovelace, lovelace } from '../../platform/units/money.ts';
import type { Database, Db, Transaction } from '../../platform/database/database.ts';
import type { TerminationsTable } from '../../platform/database/tables/terminations.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';

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
  /** By how many seconds signed claims that did not land have moved the deadline. */
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

/** Throws when the end of the vault is not decided. */
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

/** Lets holders claim for longer, because a claim that was signed in time did not land. */
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

/** Takes back that holders can claim, or could: their pot is gathered anew. What was counted is counted anew then. */
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
