import { ServiceError } from '../platform/errors/errors.ts';
import type { PausedArea } from './rules/pause.ts';
import { isoText } from '../platform/units/instant.ts';
import type { Db, Transaction } from '../platform/database/database.ts';
import { activePauses } from './queries/pauses.ts';

/** Throws OPERATION_PAUSED when the area of an operation is paused. */
export async function requireNotPaused(db: Db | Transaction, area: PausedArea): Promise<void> {
  const pause = (await activePauses(db)).find((one) => one.area === area);
  if (pause) throw new ServiceError('OPERATION_PAUSED', { area, reason: pause.reason, since: isoText(pause.since) });
}
