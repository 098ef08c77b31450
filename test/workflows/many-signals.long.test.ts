import { expect, test } from '@jest/globals';
import { wallClock, type Instant } from '../../src/platform/units/time.ts';
import { eventsBeforeContinueAsNew } from '../stack/shared-stack.ts';
import { runWorkflow } from '../stack/run-workflow.ts';
import { until } from '../stack/until.ts';
import { observed } from './observed.ts';
import { runsOf } from './runs.ts';
import { anchorSubmitterWaits } from './anchor-submitter-waits.ts';
import { proposalWaits } from './proposal-waits.ts';
import { rotationWaits } from './rotation-waits.ts';
import { transactionWaits } from './transaction-waits.ts';
import { CLOCK_OFFSET_MS, type Wait } from './waits.ts';

/** `SIGNALS=1000 npm run unit -- test/workflows/many-signals.long.test.ts` sends more. */
const SIGNALS = Number(process.env['SIGNALS'] ?? 100);
/** While an activity is tried again and again, only signals make a history long. */
const SIGNALS_WITHOUT_READS = Math.max(SIGNALS, eventsBeforeContinueAsNew);
/** More than fit into one run, each answered by a read. */
const BURSTS = 50;
/** The server holds this many for a run that is busy. */
const MOST_AT_ONCE = 100;
const PATIENCE_MS = 300_000;
/** What a burst and its answer add besides its signals. */
const EVENTS_OF_A_BURST = 20;

const waits: Readonly<Record<string, Wait>> = {
  ...proposalWaits,
  ...transactionWaits,
  ...anchorSubmitterWaits,
  ...rotationWaits,
};

test.each(Object.entries(waits))(
  '%s goes on at once after many signals; no run is long, none of them is lost, and each run has the input of the first',
  async (_, { type, workflowId, input, signal, activities, waiting, goneOn, isTrying, endsAfterMs }) => {
    let isOver = false;
    const times: Instant[] = [];
    const ended = new Set<string>();
    const begun = wallClock.now();
    await using workflow = await runWorkflow({
      type,
      workflowId,
      input,
      activities: observed(
        activities(() => isOver),
        ({ name, now }) => {
          if (now !== undefined) times.push(now);
          if (isOver) ended.add(name);
        },
      ),
    });
    const { handle } = workflow;
    const details = (text: string) =>
      until(async () => (await workflow.details()).includes(text), { what: text, deadlineMs: PATIENCE_MS });
    await details(waiting);
    const firstRun = await workflow.runId();

    const signals = isTrying ? SIGNALS_WITHOUT_READS : SIGNALS;
    const atOnce = Math.min(MOST_AT_ONCE, Math.ceil(signals / BURSTS));
    for (let left = signals; left > 0; left -= atOnce) {
      await Promise.all(Array.from({ length: Math.min(left, atOnce) }, () => handle.signal(signal)));
      await until(() => workflow.hasReadSignals(), { what: 'the run to read the signals', deadlineMs: PATIENCE_MS });
    }
    const seconds = ((wallClock.now() - begun) / 1000).toFixed(1);
    await details(waiting);

    isOver = true;
    if (endsAfterMs !== undefined) await workflow.moveTo(CLOCK_OFFSET_MS + endsAfterMs);
    else await handle.signal(signal);
    if ('details' in goneOn) await details(goneOn.details);
    else await until(() => ended.has(goneOn.activity), { what: goneOn.activity, deadlineMs: PATIENCE_MS });

    const runs = await runsOf(workflow.client, workflowId, firstRun);
    const longest = Math.max(...runs.map(({ events }) => events));
    process.stdout.write(
      `${waiting}: ${signals} signals in ${seconds} s, ${runs.length} runs, at most ${longest} events\n`,
    );
    expect(runs.length).toBeGreaterThan(1);
    // A run that is signalled while it is to continue continues until no signal comes between.
    expect(longest).toBeLessThan(1.25 * eventsBeforeContinueAsNew + 2 * atOnce + EVENTS_OF_A_BURST);
    const sent = signals + (endsAfterMs === undefined ? 1 : 0);
    expect(runs.reduce((sum, run) => sum + run.signals, 0)).toBe(sent);
    expect(runs.map((run) => run.input)).toEqual(runs.map(() => input));
    expect(times.filter((now) => now < begun + CLOCK_OFFSET_MS)).toEqual([]);
  },
  PATIENCE_MS * 4,
);
