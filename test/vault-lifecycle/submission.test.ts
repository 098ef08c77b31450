import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { defaultDurationBounds, wallClock, secondsAfter } from '../../src/platform/units/time.ts';
import { buildWithOperatorFunds, type Replaced } from '../../src/operations/operator-funds.ts';
import { submitTransaction } from '../../src/transactions/submit-transaction.ts';
import { buildAnchor } from '../../src/cardano/build/anchor.ts';
import { signTransaction } from '../../src/cardano/keys/witnesses.ts';
import { createNetworkStateCache } from '../../src/cardano/ledger/network-state.ts';
import type { ProtocolParameters } from '../../src/cardano/ledger/parameters.ts';
import { type BuiltTransaction, outputUtxo, type Utxo } from '../../src/cardano/transaction.ts';
import { ServiceError } from '../../src/platform/errors.ts';
import { createIds } from '../../src/platform/units/ids.ts';
import type { TransactionKind } from '../../src/transactions/rules.ts';
import { appendBlock } from '../../src/ledger-follower/queries/blocks.ts';
import { findTransaction } from '../../src/transactions/queries/transactions.ts';
import { recordTransaction } from '../../src/transactions/queries/recorded-transactions.ts';
import { storeSigned } from '../../src/transactions/queries/changes.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { createUnitOfWork, productionClock } from '../../src/platform/database/unit-of-work.ts';
import { transactionWorkflowId } from '../../src/platform/temporal/workflow-ids.ts';
import { context, keys, operator } from '../chain/sample-context.ts';
import { fakeLedger } from '../chain/fake-ledger.ts';
import { unboundedBudget } from '../follower/follower-service.ts';
import { testDatabase } from '../stack/test-database.ts';
import type { WorkerContext } from '../../src/worker-context.ts';

const ids = createIds({ clock: wallClock, random: randomBytes });
const outboxRelay = { deliver: () => undefined, deliverAll: () => Promise.resolve(0), close: () => Promise.resolve() };

/** Builds an anchor, the smallest transaction of the platform. */
function anchorSpending(input: Utxo | undefined, parameters = context.parameters): BuiltTransaction {
  if (!input) throw new Error('there is no output to spend');
  const anchor = { operator: keys.operator, inputs: [input], root: 'ab'.repeat(32), count: 1, ttlSlot: 5000 };
  return buildAnchor({ ...context, parameters }, anchor);
}

interface ListedUtxo extends Utxo {
  readonly referenceScript?: string;
}

const asInBlockfrost = ({ address, txHash, index, lovelace, referenceScript }: ListedUtxo) => ({
  address,
  tx_hash: txHash,
  output_index: index,
  amount: [{ unit: 'lovelace', quantity: String(lovelace) }],
  reference_script_hash: referenceScript ?? null,
});

/** Submission to a fake ledger at slot 1,000 that knows no transaction, has these unspent outputs and refuses every submission. */
async function openSubmission({ isFollowed = true, refusal = 'refused', unspent = [] as readonly ListedUtxo[] } = {}) {
  await using cleanup = new AsyncDisposableStack();
  const database = cleanup.use(await testDatabase());
  const db = openDatabase(database.url, () => undefined, 2);
  cleanup.defer(() => db.destroy());
  const now = wallClock.now();
  let parameters: ProtocolParameters = context.parameters;
  const { ledger, asked } = fakeLedger((path) => {
    if (path === '/genesis') return { network_magic: 2, slot_length: 1, system_start: 0 };
    if (path === '/blocks/latest')
      return {
        hash: 'b',
        height: 9,
        slot: 1000,
        time: Math.floor(now / 1000),
        previous_block: null,
        tx_count: 0,
        confirmations: 0,
      };
    if (path === '/epochs/latest/parameters')
      return {
        min_fee_a: Number(parameters.minFeeA),
        min_fee_b: Number(parameters.minFeeB),
        coins_per_utxo_size: String(parameters.coinsPerUtxoByte),
        max_val_size: String(parameters.maxValueSize),
        max_tx_size: parameters.maxTxSize,
      };
    if (path.startsWith('/addresses/')) return unspent.map(asInBlockfrost);
    const [, maker] = /^\/txs\/(\w+)\/utxos$/.exec(path) ?? [];
    if (maker !== undefined)
      return { hash: maker, inputs: [], outputs: unspent.filter(({ txHash }) => txHash === maker).map(asInBlockfrost) };
    return null;
  }, refusal);
  const unitOfWork = createUnitOfWork(db, productionClock(wallClock), ids);
  const follow = () => unitOfWork(({ tx }) => appendBlock(tx, { height: 9, hash: 'b', slot: 1000, time: now }));
  if (isFollowed) await follow();
  const networkState = createNetworkStateCache({ ledger, networkId: 0 });
  const deps = {
    db,
    unitOfWork,
    ids,
    ledger,
    networkState,
    keys,
    outboxRelay,
    networkId: 0,
    confirmationDepth: 3,
    liquidityAddress: undefined,
    operatorDeposits: true,
    operatorBudget: unboundedBudget(),
    durationBounds: defaultDurationBounds,
    batchPaths: () => Promise.resolve([]),
    priceSource: { priceOf: () => Promise.reject(new Error('nothing is sold')) },
    onSignatureRefused(_recorded: unknown, reason: string) {
      throw new Error(reason);
    },
    onQuarantine(_transaction: unknown, _change: unknown, error: unknown) {
      throw error as Error;
    },
  } as const;
  const open = cleanup.move();
  return {
    asked,
    networkState,
    follow,
    /** Changes the protocol parameters, as a new epoch does. */
    setParameters(next: ProtocolParameters) {
      parameters = next;
    },
    /** The operator's outputs that a transaction may pay with when it replaces these. */
    async funds(replaced: readonly Replaced[], needed: number): Promise<readonly Utxo[]> {
      let offered: readonly Utxo[] = [];
      const build = await buildWithOperatorFunds(deps as unknown as WorkerContext, 'mint', replaced, ({ utxos }) => {
        offered = utxos;
        if (utxos.length < needed) throw new ServiceError('INSUFFICIENT_FUNDS');
        return anchorSpending(utxos[0]);
      });
      await unitOfWork(({ tx }) => build(tx));
      return offered;
    },
    async record(built: BuiltTransaction, kind: TransactionKind = 'fan_out'): Promise<string> {
      const id = ids.next();
      const owner = { ownerWorkflow: transactionWorkflowId(id), signer: 'platform', wallet: null } as const;
      const record = {
        id,
        kind,
        vaultId: null,
        ...owner,
        expiresAt: secondsAfter(now, 4000),
        built,
      } as const;
      if ((await unitOfWork((context) => recordTransaction({ ...context, now }, record))) !== 'recorded')
        throw new Error('an input was taken');
      // Whether it may be signed is no matter here.
      await unitOfWork(({ tx }) => storeSigned(tx, id, signTransaction(built.cbor, [keys.operator])));
      return id;
    },
    errorOf: async (id: string) => (await findTransaction(db, id))?.error,
    refusalOf: async (id: string) => (await findTransaction(db, id))?.refusal,
    async refusalEvents() {
      const events = await db.selectFrom('outbox').select('data').where('type', '=', 'TRANSACTION_REFUSED').execute();
      return events.map(({ data }) => data);
    },
    /** Submits the transaction; returns the outcome and the recorded state. */
    async send(id: string) {
      const recorded = await findTransaction(db, id);
      if (!recorded) throw new Error(`${id} is not recorded`);
      const outcome = await submitTransaction(deps as unknown as WorkerContext, recorded, now);
      return { outcome, state: (await findTransaction(db, id))?.state };
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

test('a transaction refused because its predecessor has not been confirmed is retried without reading an address history', async () => {
  await using submission = await openSubmission();
  const first = anchorSpending(operator(10_000_000n).utxos[0]);
  await submission.record(first);
  const chained = await submission.record(anchorSpending(outputUtxo(first, 0)));

  const unclear = `input ${first.hash}#0 is not back yet`;
  expect(await submission.send(chained)).toEqual({ outcome: { unclear }, state: 'pending' });

  const ofAddresses = submission.asked.filter((path) => path.startsWith('/addresses/'));
  expect(ofAddresses).toEqual([`/addresses/${keys.operator.address}/utxos`]);
});

test('no transaction is submitted before the ledger is followed, because its confirmation would be missed', async () => {
  await using submission = await openSubmission({ isFollowed: false });
  const id = await submission.record(anchorSpending(operator(10_000_000n).utxos[0]));
  expect(await submission.send(id)).toEqual({
    outcome: { unclear: 'the ledger is not followed yet' },
    state: 'pending',
  });
  expect(submission.asked).toEqual([]);

  await submission.follow();
  await submission.send(id);
  expect(submission.asked).toContain('/tx/submit');
});

test('a transaction does not fail because of cached protocol parameters of the previous epoch', async () => {
  await using submission = await openSubmission();
  const cheaper = { ...context.parameters, minFeeA: 40n };
  const first = anchorSpending(operator(10_000_000n).utxos[0], cheaper);
  await submission.record(first);
  const chained = await submission.record(anchorSpending(outputUtxo(first, 0), cheaper));
  await submission.networkState();

  submission.setParameters(cheaper);
  expect(await submission.send(chained)).toMatchObject({ state: 'pending' });
  expect(submission.asked).toContain('/tx/submit');

  submission.setParameters(context.parameters);
  expect(await submission.send(chained)).toEqual({ outcome: 'done', state: 'failed' });
});

test('a transaction that spends an output with a reference script fails before it is sent, because its fee is too small', async () => {
  const unspent = operator(101_000_000n).utxos.map((utxo) => ({ ...utxo, referenceScript: 'ab'.repeat(28) }));
  await using submission = await openSubmission({ unspent });
  const id = await submission.record(anchorSpending(unspent[0]), 'mint');
  expect(await submission.send(id)).toEqual({ outcome: 'done', state: 'failed' });
  expect(await submission.errorOf(id)).toContain('carries a reference script');
  expect(submission.asked).not.toContain('/tx/submit');
});

test('submissions within one minute request the protocol parameters once and the genesis once', async () => {
  await using submission = await openSubmission();
  const recorded = await Promise.all(
    operator(5_000_000n, 5_000_000n, 5_000_000n).utxos.map((utxo) => submission.record(anchorSpending(utxo))),
  );
  await Promise.all(recorded.map((id) => submission.send(id)));
  const countRequests = (path: string) => submission.asked.filter((asked) => asked === path).length;
  expect(['/tx/submit', '/epochs/latest/parameters', '/genesis'].map(countRequests)).toEqual([3, 1, 1]);
});

test('a transaction that breaks a ledger rule with all its inputs unspent fails at once, and its error names the rule', async () => {
  const unspent = operator(10_000_000n).utxos;
  const refusal = 'ConwayUtxowFailure (UtxoFailure (FeeTooSmallUTxO {supplied = Coin 1, expected = Coin 2}))';
  await using submission = await openSubmission({ unspent, refusal });
  const id = await submission.record(anchorSpending(unspent[0]), 'deliver');
  expect(await submission.send(id)).toEqual({ outcome: 'done', state: 'failed' });
  expect(await submission.errorOf(id)).toBe('the ledger refused it: its fee is too small (FeeTooSmallUTxO)');
});

test.each(['mint', 'create_vault', 'execute'] as const)(
  'a refused %s is left to its validity with the rule that it breaks, because its replacement need not spend the same input',
  async (kind) => {
    const unspent = operator(10_000_000n).utxos;
    await using submission = await openSubmission({ unspent, refusal: 'FeeTooSmallUTxO' });
    const id = await submission.record(anchorSpending(unspent[0]), kind);
    expect(await submission.send(id)).toEqual({ outcome: 'done', state: 'submitted' });
    const reason = 'the ledger refused it: its fee is too small (FeeTooSmallUTxO)';
    expect(await submission.refusalOf(id)).toBe(reason);
    // Trying again tells nothing new.
    await submission.send(id);
    expect(await submission.refusalEvents()).toEqual([{ kind, reason }]);
  },
);

test.each([
  'BadInputsUTxO, ValueNotConservedUTxO',
  'All inputs are spent',
  'OutsideValidityIntervalUTxO',
  'Bad Request',
])('a refusal that says "%s" is no failure: the mempool may have the transaction', async (refusal) => {
  const unspent = operator(10_000_000n).utxos;
  await using submission = await openSubmission({ unspent, refusal });
  const id = await submission.record(anchorSpending(unspent[0]), 'deliver');
  expect(await submission.send(id)).toEqual({ outcome: 'done', state: 'submitted' });
});

test('an output of the operator that carries a reference script pays for nothing, even when all others are used', async () => {
  const [poisoned, sound] = operator(101_000_000n, 5_000_000n).utxos;
  if (!poisoned || !sound) throw new Error('an output is missing');
  const unspent = [{ ...poisoned, referenceScript: 'ab'.repeat(28) }, sound];
  await using submission = await openSubmission({ unspent });
  expect(await submission.funds([], 1)).toEqual([sound]);
  const afterRefusal = [{ state: 'failed', inputs: [sound], refusal: null }] as const;
  expect(await submission.funds(afterRefusal, 1)).toEqual([sound]);
});

test('a rebuild reuses what an expired one spent, takes more when that is too little, and leaves out what was refused', async () => {
  const [expired, refused, fresh] = operator(5_000_000n, 6_000_000n, 7_000_000n).utxos;
  if (!expired || !refused || !fresh) throw new Error('an output is missing');
  await using submission = await openSubmission({ unspent: [expired, refused, fresh] });
  const refusal = 'the ledger refused it';
  const afterExpiry = [{ state: 'expired', inputs: [expired], refusal: null }] as const;
  const afterRefusal = [{ state: 'failed', inputs: [refused], refusal: null }] as const;
  expect(await submission.funds(afterExpiry, 1)).toEqual([expired]);
  expect(await submission.funds(afterExpiry, 3)).toEqual([expired, refused, fresh]);
  expect(await submission.funds(afterRefusal, 1)).toEqual([expired, fresh]);
  expect(await submission.funds([...afterExpiry, { state: 'failed', inputs: [expired], refusal: null }], 1)).toEqual([
    refused,
    fresh,
  ]);
  // One that was refused and then expired is no other.
  expect(await submission.funds([{ state: 'expired', inputs: [expired], refusal }], 1)).toEqual([refused, fresh]);
});
