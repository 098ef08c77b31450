import { type OperatorFunds, operatorFunds } from './rules/runway.ts';
import type { Db } from '../platform/database/database.ts';
import { latestOperatorFunds } from './queries/operator-funds.ts';

/** Enough that a quiet weekend does not hide what a week costs. */
const DAYS = 7;

/** The operator's funds as a worker saw them last; null before the first time. */
export async function readOperatorFunds(db: Db): Promise<OperatorFunds | null> {
  return operatorFunds(await latestOperatorFunds(db, DAYS));
}
