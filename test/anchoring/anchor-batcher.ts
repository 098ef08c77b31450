import { randomBytes } from 'node:crypto';
import { createAnchors } from '../../src/anchoring/group-commit.ts';
import type { AnchorCost, Anchors } from '../../src/anchoring/anchors.ts';
import { createNetworkStateCache } from '../../src/cardano/ledger/network-state.ts';
import { createLedger } from '../../src/cardano/ledger/ledger.ts';
import type { Pace } from '../../src/anchoring/rules/pace.ts';
import { wallClock } from '../../src/platform/units/time.ts';
import { createIds } from '../../src/platform/units/ids.ts';
import { lovelace } from '../../src/platform/units/money.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { createUnitOfWork, offsetClock } from '../../src/platform/database/unit-of-work.ts';
import { connectTemporal } from '../../src/platform/temporal/connection.ts';
import { createOutboxRelay } from '../../src/platform/temporal/workflow-outbox-relay.ts';

export interface BatcherOptions {
  readonly databaseUrl: string;
  readonly ledgerUrl: string;
  readonly temporal: { readonly address: string; readonly namespace: string };
  readonly minIntervalMs: number;
  /** Absent: the interval is always the shortest. */
  readonly pace?: Partial<Pace>;
}

const ids = createIds({ clock: wallClock, random: randomBytes });

export const newFactId = () => ids.next();

/** Opens the anchor batcher of an api without the rest of the api. */
export function openBatcher({ databaseUrl, ledgerUrl, temporal, minIntervalMs, ...options }: BatcherOptions) {
  const clock = offsetClock(wallClock);
  const db = openDatabase(databaseUrl, () => undefined, 3);
  const client = connectTemporal({ ...temporal, taskQueue: 'vaults' });
  const ledger = createLedger({ baseUrl: `${ledgerUrl}/api/v0`, timeoutMs: 10_000 });
  const onDelay = () => undefined;
  const outboxRelay = createOutboxRelay({ db, clock, client, taskQueue: 'vaults', network: 'preview', onDelay });
  const networkState = createNetworkStateCache({ ledger, networkId: 0 });
  const unitOfWork = createUnitOfWork(db, clock, ids);
  const pace = { minIntervalMs, maxIntervalMs: minIntervalMs, dailyBudget: lovelace(0n), ...options.pace };
  const alarms: AnchorCost[] = [];
  const onBudgetSpent = (cost: AnchorCost) => alarms.push(cost);
  const unreadable: string[] = [];
  const onUnreadable = ({ id }: { readonly id: string }) => void unreadable.push(id);
  const deps = { db, unitOfWork, ids, ledger, networkState, outboxRelay, onDelay, onUnreadable };
  const anchors = createAnchors({ ...deps, pace, onBudgetSpent });
  return {
    ...anchors,
    /** What the anchors had cost each time when the budget was spent. */
    alarms,
    /** The anchor chains that could not be read. */
    unreadable,
    note: (text: string) => note(anchors, text),
    async [Symbol.asyncDispose]() {
      await anchors.close();
      await outboxRelay.close();
      await client.connection.close();
      await db.destroy();
    },
  };
}

/** Records a fact with this text; returns its id and the hash of its anchor transaction. */
function note(anchors: Anchors, text: string): Promise<{ factId: string; hash: string }> {
  return anchors.record(async (context) => {
    const factId = newFactId();
    return { factId, hash: await context.anchor({ factId, vaultId: null, fact: { text } }) };
  });
}
