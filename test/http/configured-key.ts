import { randomBytes } from 'node:crypto';
import { ensureApiKey } from '../../src/auth/ensure-api-key.ts';
import { wallClock } from '../../src/domain/units/clock.ts';
import { createIds } from '../../src/domain/units/ids.ts';
import type { Db } from '../../src/store/database.ts';
import { createUnitOfWork, productionClock } from '../../src/store/unit-of-work.ts';

/** Stores a key as if the configuration named it. */
export function storeConfiguredKey(db: Db, key: Parameters<typeof ensureApiKey>[1]): Promise<void> {
  const ids = createIds({ clock: wallClock, random: randomBytes });
  const unitOfWork = createUnitOfWork(db, productionClock(wallClock), ids);
  return ensureApiKey({ unitOfWork, clock: wallClock }, key);
}
