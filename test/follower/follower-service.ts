import { randomUUID } from 'node:crypto';
import { createLedger } from '../../src/cardano/ledger/ledger.ts';
import { defaultDurationBounds, wallClock } from '../../src/platform/units/time.ts';
import { createOperatorBudget } from '../../src/signing-policy/operator-budget.ts';
import type { AssetClass } from '../../src/assets/rules/asset.ts';
import { lovelace } from '../../src/platform/units/money.ts';
import { followLedger } from '../../src/ledger-follower/follow-ledger.ts';
import { createUnitOfWork, offsetClock } from '../../src/platform/database/unit-of-work.ts';
import type { WorkerContext } from '../../src/worker-context.ts';
import type { ApiService } from '../vaults/api-service.ts';

export const CONFIRMATION_DEPTH = 3;

/** More than there is. */
const ALL_ADA = lovelace(45_000_000_000_000_000n);

/** A budget of the operator's that no test spends. */
export function unboundedBudget() {
  return createOperatorBudget({ clock: wallClock, bound: ALL_ADA, onSpent: () => undefined });
}

/** A follower that reads the ledger of an api service only when it is told to. */
export function followerOf({ db, ledger }: Pick<ApiService, 'db' | 'ledger'>) {
  const alarms: { readonly tipHeight: number; readonly forkHeight: number | null }[] = [];
  const context = {
    db,
    unitOfWork: createUnitOfWork(db, offsetClock(wallClock), { next: randomUUID }),
    ledger: createLedger({ baseUrl: `${ledger.url}/api/v0`, timeoutMs: 5000 }),
    confirmationDepth: CONFIRMATION_DEPTH,
    maxRollback: CONFIRMATION_DEPTH - 1,
    onLedgerHold: (parting: { readonly tipHeight: number; readonly forkHeight: number | null }) => {
      alarms.push(parting);
    },
    onUnknownSupply(nft: AssetClass, error: unknown): void {
      throw new Error(`unknown supply: ${JSON.stringify(nft)}`, { cause: error });
    },
    networkId: 0 as const,
    liquidityAddress: undefined,
    operatorDeposits: true,
    operatorBudget: unboundedBudget(),
    durationBounds: defaultDurationBounds,
    batchPaths: () => Promise.resolve([]),
    priceSource: { priceOf: () => Promise.reject(new Error('nothing is sold')) },
    onUnreadable(row: Error): void {
      throw row;
    },
    onSignatureRefused(transaction: unknown, reason: string): void {
      throw new Error(`not justified: ${reason}`, { cause: transaction });
    },
    onUnrecorded(hash: string, error: unknown): void {
      throw new Error(`not recorded: ${hash}`, { cause: error });
    },
    onQuarantine({ hash }: { readonly hash: string }, { to }: { readonly to: string }, error: unknown): void {
      throw new Error(`quarantined: ${hash} ${to}: ${String(error)}`, { cause: error });
    },
  } as unknown as { -readonly [Part in keyof WorkerContext]: WorkerContext[Part] };
  return {
    context,
    /** What was reported as too deep. */
    alarms,
    look: () => followLedger(context),
    /** Reads until there is nothing new. */
    async catchUp(): Promise<void> {
      for (let news = await followLedger(context); news !== 'nothing'; news = await followLedger(context))
        if (news === 'held') throw new Error('the follower is held');
    },
  };
}
