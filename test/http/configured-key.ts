import { randomBytes } from 'node:crypto';
import { ensureApiKey } from '../../src/access/api-keys.ts';
import { wallClock } from '../../src/platform/units/time.ts';
import { createIds } from '../../src/platform/units/ids.ts';
import type { Db } from '../../src/platform/database/database.ts';
import { createUnitOfWork, productionClock } from '../../src/platform/database/unit-of-work.ts';

/** Stores a key as if the configuration named it. */
export function storeConfiguredKey(db: Db, key: Parameters<typeof ensureApiKey>[1]): Promise<void> {
  const ids = createIds({ clock: wallClock, random: randomBytes });
  const unitOfWork = createUnitOfWork(db, productionClock(wallClock), ids);
  return ensureApiKey({ unitOfWork, clock: wallClock }, key);
}
