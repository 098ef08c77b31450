import { wallClock, secondsAfter } from '../../../src/platform/units/time.ts';
import type { NextBatch, TerminationStage, VaultActivities, VaultFailureStatus } from '../../../src/platform/temporal/activity-types.ts';
import { vaultWorkflowId } from '../../../src/platform/temporal/workflow-ids.ts';
import { inState, locked, vaultActivities, vaultId } from '../../vault-workflow/run-vault.ts';
import { endBySignals, type Life, returning, shows } from './life.ts';

const inSeconds = (seconds: number) => secondsAfter(wallClock.now(), seconds);
const HOUR = 3600;

type Locked = Awaited<ReturnType<VaultActivities['lockVault']>>;

const send = (transactionId: string): NextBatch => ({ kind: 'send', transactionId });
const wait: NextBatch = { kind: 'wait', transactionId: 'batch' };
const done: NextBatch = { kind: 'done' };
const stage = (step: TerminationStage['step'], prepares = false, until: TerminationStage['until'] = null) =>
  ({ step, prepares, until, reason: 'liquidated' }) as const;
const cancelled = { status: 'ACTIVE', reason: 'cancelled' } as const;

/** A vault that is settled by T, an hour from now, unless its life says otherwise. */
function vault(changed: Parameters<typeof vaultActivities>[1], life: Partial<Life> = {}): Life {
  return {
    type: 'vault',
    workflowId: vaultWorkflowId(vaultId),
    input: { vaultId, clockOffsetMs: 0 },
    activities: { ...vaultActivities(inSeconds(HOUR), changed) },
    drive: endBySignals('transactionChanged'),
    ...life,
  };
}

const schedule = (transitions: readonly number[], settlesIn = HOUR) => ({
  readSchedule: returning({
    transitions: transitions.map((seconds, index) => ({
      window: index < 2 ? ('asset' as const) : ('investment' as const),
      change: index % 2 === 0 ? ('open' as const) : ('close' as const),
      at: inSeconds(seconds),
    })),
    settlesBy: inSeconds(settlesIn),
    status: 'ACTIVE' as const,
  }),
});

/** Its settlement, and all steps of an end by its holders. */
const whole = (): Life =>
  vault({
    ...schedule([-3, -2, 1, 2]),
    priceAssets: returning<true | null>(null, true),
    depositsAreFinal: returning<true | null>(null, true),
    nextRefund: returning(send('refund'), done),
    nextDelivery: returning(send('delivery'), wait, done),
    lockVault: returning<Locked>({ ...locked, endsAt: inSeconds(HOUR) }, locked, { ...locked, isTerminating: true }),
    advanceTermination: returning<TerminationStage>(
      stage('end_proposals'),
      { ...stage('end_proposals'), waitsFor: 'rotation' },
      stage('gather_pot', true),
      stage('hand_over', true),
      stage('claims', false, inSeconds(HOUR)),
      stage('pay_remainder', true),
      stage('close_vault', true),
      stage('ended'),
    ),
    prepareTermination: returning({ transactionId: 'step' }),
  });

/** It is programmed to end; a rollback takes parts of its settlement from it, and the decision to end. */
const rolledBack = (): Life =>
  vault({
    lockVault: returning<Locked>(
      { ...locked, status: 'ACTIVE', undone: true },
      { ...locked, endsAt: inSeconds(1) },
      { ...locked, isTerminating: true },
    ),
    advanceTermination: returning<TerminationStage>(stage('settlement'), stage('ended')),
  });

/** The ledger refuses its liquidity share, lets it expire twice, and an activity fails for long. */
const held = (): Life => {
  const [failed, expired, confirmed] = (['failed', 'expired', 'confirmed'] as const).map((state) =>
    inState(state, inSeconds(HOUR)),
  );
  const liquidity = returning(failed, failed, expired, expired, confirmed);
  return vault(
    {
      readTransaction: ({ transactionId }) =>
        transactionId === 'liquidity' ? (liquidity() as never) : Promise.resolve(confirmed as never),
      nextDelivery: returning(new Error('no connection'), new Error('no connection'), new Error('no connection'), done),
      lockVault: returning({ ...locked, isTerminating: true }),
      advanceTermination: returning<TerminationStage>(stage('ended')),
    },
    {
      async drive(running) {
        await shows(running, 'Failures of the liquidity share: 1');
        await running.moveTo(2 * HOUR * 1000);
        await running.handle.result();
      },
    },
  );
};

const cancel = (): Life =>
  vault({
    ...schedule([HOUR / 2]),
    readFailure: returning<VaultFailureStatus>({ status: 'ACTIVE', reason: null }, cancelled),
    depositsAreFinal: returning<true | null>(null, true),
    nextRefund: returning(send('refund'), wait, done, send('refund'), done),
    terminateVault: returning<'refunding' | 'terminated'>('refunding', 'terminated'),
  });

/** Its deposits come back: one refund is refused before it is built, and one is refused by the ledger. */
const refused = (): Life =>
  vault(
    {
      planSettlement: returning({ reason: 'no_assets' as const }),
      nextRefund: returning(send('refund'), done),
      submitTransaction: returning<{ state: 'failed' | 'submitted'; error: string | null }>(
        { state: 'submitted', error: null },
        { state: 'failed', error: 'BadInputsUTxO' },
        { state: 'submitted', error: 'ledger unreachable' },
      ),
    },
    {
      async drive(running) {
        await shows(running, 'Failures of a refund: 1');
        await running.moveTo(HOUR * 1000);
        await running.handle.result();
      },
    },
  );

/** T comes while prices are missing. */
const unpriced = (): Life => vault({ ...schedule([-3, -2], 2), priceAssets: returning<true | null>(null) });

/** T comes before its mint, once after it: the next run continues from there. */
const late = (): Life =>
  vault({
    prepareMint: returning<{ transactionId: string } | null>(null, { transactionId: 'mint' }),
    failVault: returning<'minted' | undefined>('minted'),
    lockVault: returning({ ...locked, isTerminating: true }),
    advanceTermination: returning<TerminationStage>(stage('ended')),
  });

export const vaultLives = {
  'vault-whole': whole,
  'vault-rolled-back': rolledBack,
  'vault-held': held,
  'vault-cancelled': cancel,
  'vault-refused': refused,
  'vault-unpriced': unpriced,
  'vault-late': late,
};
