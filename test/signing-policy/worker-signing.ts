import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { createBatchPaths } from '../../src/anchoring/facts.ts';
import { createLedger } from '../../src/cardano/ledger/ledger.ts';
import { readNetworkState } from '../../src/cardano/ledger/network-state.ts';
import { deriveKeys } from '../../src/cardano/keys/keys.ts';
import { createPriceSource } from '../../src/cardano/price-source.ts';
import type { TransactionKind } from '../../src/transactions/rules.ts';
import { defaultDurationBounds, wallClock, type Instant } from '../../src/platform/units/time.ts';
import { signatureRefusedCounter } from '../../src/platform/observability/worker-metrics.ts';
import { submitTransaction } from '../../src/transactions/submit-transaction.ts';
import { batchLeaves } from '../../src/anchoring/queries/anchor-batches.ts';
import { findTransaction } from '../../src/transactions/queries/transactions.ts';
import { openDatabase, type Transaction } from '../../src/platform/database/database.ts';
import { offsetClock } from '../../src/platform/database/unit-of-work.ts';
import { Registry } from 'prom-client';
import { unboundedBudget } from '../follower/follower-service.ts';
import { canaries } from '../secrets/canaries.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { inUndone } from '../store/in-undone.ts';
import type { WorkerContext } from '../../src/worker-context.ts';

/** A row that whoever writes Postgres has the worker sign, as of an instant; now without one. */
export interface WrittenRow {
  readonly id: string;
  readonly at?: Instant;
}

/** What the worker signs with: its service with the keys of the platform, and the Postgres and the ledger of a stack. */
export function workerSigning({ databaseUrl, ledger: { url } }: Pick<TestStack, 'databaseUrl' | 'ledger'>) {
  const db = openDatabase(databaseUrl, () => undefined, 2);
  const ledger = createLedger({ baseUrl: `${url}/api/v0`, timeoutMs: 5000 });
  const registry = new Registry();
  const count = signatureRefusedCounter(registry);
  const clock = offsetClock(wallClock);
  const seen = { reasons: [] as string[], submitted: [] as string[] };
  const platform = {
    keys: deriveKeys(canaries.operatorMnemonic, 0),
    operatorBudget: unboundedBudget(),
    ledger: {
      ...ledger,
      submit(cbor: string) {
        seen.submitted.push(cbor);
        return ledger.submit(cbor);
      },
    },
    networkState: () => readNetworkState({ ledger, networkId: 0 }),
    networkId: 0,
    confirmationDepth: 3,
    liquidityAddress: undefined,
    operatorDeposits: true,
    batchPaths: createBatchPaths((batchId) => batchLeaves(db, batchId)),
    durationBounds: defaultDurationBounds,
    priceSource: createPriceSource({ feedUrl: `${url}/prices` }),
    onSignatureRefused({ kind }: { readonly kind: TransactionKind }, reason: string) {
      count(kind);
      seen.reasons.push(reason);
    },
    // A forged row lacks what its kind comes with.
    onQuarantine: () => undefined,
  } as const;

  async function counted(kind: string): Promise<number> {
    const { values } = (await registry.getSingleMetric('unjustified_transactions_total')?.get()) ?? { values: [] };
    return values.find(({ labels }) => labels['kind'] === kind)?.value ?? 0;
  }

  /** Expects that the worker refuses a row with an alarm and a hold, and signs and sends nothing; returns its reason. */
  async function refusalIn(tx: Transaction, { id, at }: WrittenRow): Promise<string> {
    const { now } = await clock.within(tx);
    const recorded = await findTransaction(tx, id);
    if (!recorded) throw new Error('there is no such row');
    const { kind, vaultId } = recorded;
    const before = await counted(kind);
    seen.reasons = [];
    const unitOfWork: Parameters<typeof submitTransaction>[0]['unitOfWork'] = (work) =>
      work({ tx, ids: { next: randomUUID }, now });
    const worker = { ...platform, db: tx, unitOfWork } as unknown as WorkerContext;
    const answer = await submitTransaction(worker, recorded, at ?? now);
    const { reasons, submitted } = seen;
    const left = await findTransaction(tx, id);
    const hold = tx
      .selectFrom('holds')
      .select('reason')
      .where('vault_id', '=', vaultId ?? '');
    const holds = vaultId === null ? [] : await hold.where('reason', '=', 'unjustified_transaction').execute();
    const [reason] = reasons;
    expect({ kind, answer, reasons, submitted, holds: holds.length, left }).toMatchObject({
      answer: 'done',
      reasons: [expect.any(String)],
      submitted: [],
      holds: vaultId === null ? 0 : 1,
      left: { state: 'failed', signedCbor: null, error: `the platform refused to sign it: ${reason}` },
    });
    expect([kind, await counted(kind)]).toEqual([kind, before + 1]);
    return reason ?? '';
  }

  return {
    db,
    /** As `refusalIn`, of what `write` writes. All of it is undone: nobody else sees it, and the vault lives on. */
    refusalOf: (write: (tx: Transaction) => Promise<WrittenRow>): Promise<string> =>
      inUndone(db, async (tx) => refusalIn(tx, await write(tx))),
    [Symbol.asyncDispose]: () => db.destroy(),
  };
}

export type WorkerSigning = ReturnType<typeof workerSigning>;
