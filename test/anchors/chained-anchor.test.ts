import { expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { sendRecorded } from '../../activities/transactions.ts';
import { buildAnchor } from '../../src/chain/build-anchor.ts';
import { outputUtxo } from '../../src/chain/transaction.ts';
import { wallClock } from '../../src/domain/clock.ts';
import { createIds } from '../../src/domain/ids.ts';
import { secondsAfter } from '../../src/domain/instant.ts';
import { findTransaction, recordTransaction } from '../../src/store/chain-transactions.ts';
import { openDatabase } from '../../src/store/database.ts';
import { createUnitOfWork, productionClock } from '../../src/store/unit-of-work.ts';
import { anchorLaneWorkflowId } from '../../src/temporal/workflow-ids.ts';
import { context, keys, operator } from '../chain/rehearsal.ts';
import { toldLedger } from '../chain/told-ledger.ts';
import { testDatabase } from '../stack/test-database.ts';

const ids = createIds({ clock: wallClock, random: randomBytes });
const root = 'ab'.repeat(32);
const { minFeeA, minFeeB, coinsPerUtxoByte, maxValueSize, maxTxSize } = context.parameters;

/** A node that has none of our transactions yet, and whose tip is at slot 1,000 now. */
const emptyLedger = () =>
  toldLedger((path) => {
    const time = Math.floor(wallClock.now() / 1000);
    if (path === '/genesis') return { network_magic: 2, slot_length: 1, system_start: 0 };
    if (path === '/blocks/latest')
      return { hash: 'b', height: 9, slot: 1000, time, previous_block: null, tx_count: 0, confirmations: 0 };
    if (path === '/epochs/latest/parameters')
      return {
        min_fee_a: Number(minFeeA),
        min_fee_b: Number(minFeeB),
        coins_per_utxo_size: String(coinsPerUtxoByte),
        max_val_size: String(maxValueSize),
        max_tx_size: maxTxSize,
      };
    return null;
  });

test('an anchor refused because the one before it has not landed is tried again without a look into any history', async () => {
  await using database = await testDatabase();
  const db = openDatabase(database.url, () => undefined, 2);
  await using _db = { [Symbol.asyncDispose]: () => db.destroy() };
  const unitOfWork = createUnitOfWork(db, productionClock(wallClock));
  const { ledger, asked } = emptyLedger();
  const courier = { deliver: () => undefined, deliverAll: () => Promise.resolve(0), close: () => Promise.resolve() };
  const deps = { db, unitOfWork, ids, ledger, keys, courier, networkId: 0, confirmationDepth: 3 } as const;

  const anchorOn = (lane: ReturnType<typeof outputUtxo>) =>
    buildAnchor(context, { operator: keys.operator, lane: [lane], root, count: 1, ttlSlot: 5000 });
  const [funds] = operator(10_000_000n).utxos;
  if (!funds) throw new Error('the operator has nothing');
  const first = anchorOn(funds);
  const second = anchorOn(outputUtxo(first, 0));
  const now = wallClock.now();
  const [, chained] = await unitOfWork(async ({ tx }) => {
    const made: string[] = [];
    for (const built of [first, second]) {
      const id = ids.next();
      const expiresAt = secondsAfter(now, 4000);
      const record = { id, kind: 'anchor', vaultId: null, signer: 'platform', wallet: null, expiresAt, built } as const;
      if (!(await recordTransaction(tx, { ...record, ownerWorkflow: anchorLaneWorkflowId('1') }, now)))
        throw new Error('taken');
      made.push(id);
    }
    return made;
  });
  const recorded = await findTransaction(db, chained ?? '');
  if (!recorded) throw new Error('it is not recorded');

  const outcome = await sendRecorded(deps, recorded, now);

  expect(outcome).toEqual({ unclear: `input ${first.hash}#0 is not back yet` });
  expect(asked.filter((path) => path.startsWith('/addresses/'))).toEqual([`/addresses/${keys.operator.address}/utxos`]);
});
