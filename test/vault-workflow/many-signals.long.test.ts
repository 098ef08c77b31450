import { expect, test } from '@jest/globals';
import { wallClock, type Instant, secondsAfter } from '../../src/platform/units/time.ts';
import { vaultWorkflowId } from '../../src/platform/temporal/workflow-ids.ts';
import { eventsBeforeContinueAsNew } from '../stack/shared-stack.ts';
import { until } from '../stack/until.ts';
import { inState, locked, runVault } from './run-vault.ts';

/** `SIGNALS=10000 npm run unit -- test/vault-workflow/many-signals.long.test.ts` sends as many as a run takes. */
const SIGNALS = Number(process.env['SIGNALS'] ?? 100);
/** The server holds this many for a run that is busy. */
const SIGNALS_AT_ONCE = 100;
const HOUR = 3600;
const PATIENCE_MS = 300_000;

type Changed = Parameters<typeof runVault>[1];
interface Wait {
  /** What the vault does while it waits; `isOver` says whether what it waits for has happened. */
  readonly activities: (isOver: () => boolean) => Changed;
  readonly waiting: string;
  readonly goneOn: string;
}

const inAnHour = secondsAfter(wallClock.now(), HOUR);
const whenOver = (isOver: () => boolean) => () => Promise.resolve(isOver() || null);
const batchesOf = (isOver: () => boolean) => () =>
  Promise.resolve(isOver() ? { kind: 'done' as const } : { kind: 'wait' as const, transactionId: 'batch' });
const closing = (at: Instant): Changed => ({
  readSchedule: () =>
    Promise.resolve({
      transitions: [{ window: 'asset' as const, change: 'close' as const, at }],
      settlesBy: secondsAfter(inAnHour, 10 * HOUR),
      status: 'ACTIVE',
    }),
});
const stage = (changes: object) => ({ reason: 'liquidated', prepares: false, until: null, ...changes });
const terminating: NonNullable<Changed['lockVault']> = () => Promise.resolve({ ...locked, isTerminating: true });

const waits: Readonly<Record<string, Wait>> = {
  'for the end of its asset window': {
    activities: () => closing(inAnHour),
    waiting: 'Waiting until the asset window closes',
    goneOn: 'Settled.',
  },
  'for prices': {
    activities: (isOver) => ({ ...closing(wallClock.now()), priceAssets: whenOver(isOver) }),
    waiting: 'Waiting for a fresh price',
    goneOn: 'Settled.',
  },
  'for its deposits': {
    activities: (isOver) => ({ depositsAreFinal: whenOver(isOver) }),
    waiting: 'Waiting until every deposit is final',
    goneOn: 'Settled.',
  },
  'for its mint': {
    activities: (isOver) => ({
      readTransaction: ({ transactionId }) =>
        Promise.resolve(
          inState(transactionId === 'mint' && !isOver() ? 'submitted' : 'confirmed', secondsAfter(inAnHour, HOUR)),
        ),
    }),
    waiting: 'Minting',
    goneOn: 'Settled.',
  },
  'for its deliveries': {
    activities: (isOver) => ({ nextDelivery: batchesOf(isOver) }),
    waiting: 'Delivering',
    goneOn: 'Settled.',
  },
  'for its refunds': {
    activities: (isOver) => ({
      readFailure: () => Promise.resolve({ status: 'ACTIVE', reason: 'cancelled' }),
      nextRefund: batchesOf(isOver),
    }),
    waiting: 'Returning every deposit',
    goneOn: 'Terminated: cancelled.',
  },
  'for its end': {
    activities: (isOver) => ({
      lockVault: () => Promise.resolve({ ...locked, isTerminating: isOver() }),
      advanceTermination: () => Promise.resolve(stage({ step: 'claims', until: inAnHour }) as never),
    }),
    waiting: 'Settled.',
    goneOn: 'Holders can claim',
  },
  'for claims': {
    activities: (isOver) => ({
      lockVault: terminating,
      advanceTermination: () =>
        Promise.resolve(stage(isOver() ? { step: 'end_proposals' } : { step: 'claims', until: inAnHour }) as never),
    }),
    waiting: 'Holders can claim',
    goneOn: 'The vault is ending.',
  },
};

test.each(Object.entries(waits))(
  'a vault that waits %s goes on at once after many signals, and no run of it is long',
  async (_, { activities, waiting, goneOn }) => {
    let isOver = false;
    await using vault = await runVault(
      secondsAfter(inAnHour, 10 * HOUR),
      activities(() => isOver),
    );
    const handle = vault.client.workflow.getHandle(vaultWorkflowId(vault.vaultId));
    const details = (text: string) =>
      until(async () => (await vault.details()).includes(text), { what: text, deadlineMs: PATIENCE_MS });
    await details(waiting);
    const runs = new Set([await vault.runId()]);
    const begun = performance.now();
    for (let sent = 0; sent < SIGNALS; sent += SIGNALS_AT_ONCE) {
      await Promise.all(Array.from({ length: SIGNALS_AT_ONCE }, () => handle.signal('transactionChanged')));
      await until(() => vault.hasReadSignals(), { what: 'the run to read the signals', deadlineMs: PATIENCE_MS });
      runs.add(await vault.runId());
    }
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    await details(waiting);

    isOver = true;
    if (waiting.includes('window closes')) await vault.moveTo(HOUR * 1000 + 60_000);
    else await handle.signal('transactionChanged');
    await details(goneOn);
    const lengths = await Promise.all([...runs].map((run) => vault.historyLength(run)));
    process.stdout.write(
      `${waiting}: ${SIGNALS} signals in ${seconds} s, ${runs.size} runs, at most ${Math.max(...lengths)} events\n`,
    );
    // A burst is added to what was there.
    expect(Math.max(...lengths)).toBeLessThan(2 * eventsBeforeContinueAsNew + 3 * SIGNALS_AT_ONCE);
  },
  PATIENCE_MS * 4,
);
