import type { Caller } from '../access/rules.ts';
import { type FdvEvaluation, evaluateFdv } from '../settlement/rules/fdv-bounds.ts';
import { countedValues } from '../settlement/rules/deposits.ts';
import { ServiceError } from '../platform/errors.ts';
import type { Db } from '../platform/database/database.ts';
import {
  findListedInvestment,
  type InvestmentFilter,
  type ListedInvestment,
  listInvestments,
  findInvestment,
} from './queries/investments.ts';
import { type Lovelace, lovelace } from '../platform/units/money.ts';
import type { BoundingVault } from '../settlement/queries/current-deposits.ts';
import { totalValue } from '../assets/read-assets.ts';
import type { Page, PageCount } from '../platform/database/page.ts';
import type { ServiceContext } from '../context.ts';
import { evaluateInvestments } from './invest.ts';
import { ownershipAttributes, readerScope, requireReadableVault } from '../vaults/require-vault.ts';

/** What the bounds of investments are compared with now. */
export interface CurrentBounds {
  readonly vaultValue: Lovelace;
  readonly evaluated: Pick<FdvEvaluation, 'fdv' | 'above'>;
}

/** A page of a vault's investments, how many there are in all, and which bounds hold now. */
export async function listVaultInvestments(
  { db }: ServiceContext,
  caller: Caller,
  filter: InvestmentFilter,
  page: Page<'createdAt' | 'lovelace' | 'status'>,
): Promise<{ investments: ListedInvestment[]; count: PageCount; bounds: CurrentBounds }> {
  const found = await listInvestments(db, filter, readerScope(caller), page);
  if (!found) throw new ServiceError('VAULT_NOT_FOUND');
  const { bounding, ...listed } = found;
  return { ...listed, bounds: await boundsOf(db, filter.vaultId, bounding, listed.investments) };
}

/** An investment in a vault, and which bounds hold now. */
export async function readVaultInvestment(
  { db }: ServiceContext,
  caller: Caller,
  ids: { readonly vaultId: string; readonly investmentId: string },
): Promise<{ listed: ListedInvestment; bounds: CurrentBounds }> {
  await requireReadableVault(db, caller, ids.vaultId);
  const found = await findListedInvestment(db, ids);
  if (!found) throw new ServiceError('INVESTMENT_NOT_FOUND');
  const { bounding, listed } = found;
  return { listed, bounds: await boundsOf(db, ids.vaultId, bounding, [listed]) };
}

const noBounds: CurrentBounds = { vaultValue: lovelace(0n), evaluated: { fdv: lovelace(0n), above: new Set() } };

/** Which bounds of these investments hold now. Where none has one, no asset needs to be valued. */
async function boundsOf(
  db: Db,
  id: string,
  bounding: BoundingVault | null,
  shown: readonly ListedInvestment[],
): Promise<CurrentBounds> {
  const isBounded = ({ investment }: ListedInvestment) => investment.minVaultValue > 0n || investment.maxFdv !== null;
  if (!bounding || !shown.some(isBounded)) return noBounds;
  const { terms, deposits } = bounding;
  const { assets, prices, investments } = deposits;
  const vaultValue = totalValue(countedValues(assets, terms, prices));
  const accepting = investments?.filter(({ minVaultValue }) => minVaultValue <= vaultValue);
  const evaluated = accepting
    ? evaluateFdv(accepting, terms.ftPercentage)
    : await evaluateInvestments(db, { id, terms }, vaultValue);
  return { vaultValue, evaluated };
}

/** What conditional permissions to take an investment back depend on: its investor owns it. */
export async function investmentOwnershipAttributes(
  { vaultId, investmentId }: { readonly vaultId: string; readonly investmentId: string },
  { db }: ServiceContext,
  caller: Caller,
): Promise<{ own: boolean }> {
  const investment = await findInvestment(db, investmentId);
  const isInVault = investment?.vaultId === vaultId;
  return ownershipAttributes(db, caller, isInVault ? vaultId : undefined, [investment?.wallet]);
}
