import { describe, expect, test } from '@jest/globals';
import { until } from '../stack/until.ts';
import { type Changed, ends, prepares, runRotation, runTermination, waits } from './run-ending.ts';

const SECOND = 1000;

describe.each([
  {
    name: 'a rotation',
    run: (changed: Changed) => runRotation(prepares('move_outputs'), changed),
    step: 'a move to the new custody',
    reading: 'the next step',
    end: waits('finished'),
  },
  {
    name: 'the end of a vault',
    run: (changed: Changed) => runTermination(prepares('gather_pot'), changed),
    step: 'the step gather_pot',
    reading: 'the step end',
    end: waits('ended'),
  },
])('$name', ({ run, step, reading, end }) => {
  test('looks again after half a minute when another transaction holds what it needs', async () => {
    let looks = 0;
    await using workflow = await run({
      prepare: () => {
        looks += 1;
        return Promise.resolve(null);
      },
    });
    await until(() => looks === 1, { what: 'the first look' });
    await workflow.moveTo(25 * SECOND);
    expect(looks).toBe(1);
    await workflow.moveTo(35 * SECOND);
    await until(() => looks === 2, { what: 'another look' });
    workflow.becomesUnseen(end);
    await workflow.moveTo(70 * SECOND);
    await workflow.result();
    expect(looks).toBe(2);
  });

  test('a transaction that the ledger refuses is built again later and later; it is shown, and a hold from the second on', async () => {
    let built = 0;
    let isRefused = true;
    await using workflow = await run({
      prepare: () => Promise.resolve({ transactionId: String((built += 1)) }),
      readTransaction: ({ transactionId }) =>
        Promise.resolve(
          isRefused && Number(transactionId) > 0 ? ends('failed', { error: 'BadInputsUTxO' }) : ends('confirmed'),
        ),
    });
    await workflow.shows(`Failures of ${step}: 1 (BadInputsUTxO). The next try is at `);
    expect(workflow.calls('holdForFailures')).toEqual([]);
    await workflow.moveTo(25 * SECOND);
    expect(built).toBe(1);
    await workflow.moveTo(35 * SECOND);
    await workflow.shows(`Failures of ${step}: 2 (BadInputsUTxO).`);
    expect([built, workflow.calls('holdForFailures').length]).toEqual([2, 1]);
    await workflow.moveTo(80 * SECOND);
    expect(built).toBe(2);
    isRefused = false;
    workflow.becomesUnseen(end);
    await workflow.moveTo(100 * SECOND);
    await workflow.result();
    expect(built).toBe(3);
    expect(await workflow.details()).not.toContain('BadInputsUTxO');
  });

  test('a transaction that expires is built again at once, and two in a row raise a hold', async () => {
    const states = ['expired', 'expired', 'confirmed'] as const;
    let built = 0;
    await using workflow = await run({
      prepare: () => {
        built += 1;
        if (built === states.length) workflow.becomesUnseen(end);
        return Promise.resolve({ transactionId: String(built) });
      },
      readTransaction: ({ transactionId }) => {
        const state = states[Number(transactionId) - 1];
        return Promise.resolve(ends(state ?? 'confirmed'));
      },
    });
    await workflow.result();
    expect(built).toBe(3);
    expect(workflow.calls('holdForFailures')).toHaveLength(1);
  });

  test.each(['prepare', 'advance'] as const)(
    'an activity that fails (%s) is tried again and shown',
    async (activity) => {
      let isAway = true;
      await using workflow = await run({
        [activity]: () =>
          isAway
            ? Promise.reject(new Error('Postgres is away'))
            : Promise.resolve(activity === 'prepare' ? { transactionId: 'late' } : { reason: 'liquidated', ...end }),
      });
      await workflow.shows(`Failures of ${activity === 'prepare' ? step : reading}: 1 (Postgres is away).`);
      isAway = false;
      if (activity === 'prepare') workflow.becomesUnseen(end);
      await workflow.moveTo(10 * SECOND);
      await workflow.result();
      expect(await workflow.details()).not.toContain('Postgres is away');
    },
  );

  test('a transaction that is rolled back after it was confirmed is sent again', async () => {
    const sent: string[] = [];
    await using workflow = await run({
      prepare: () => Promise.resolve({ transactionId: 'rolled back' }),
      submitTransaction: ({ transactionId }) => {
        if (transactionId === 'rolled back') sent.push(transactionId);
        if (sent.length === 2) workflow.becomesUnseen(end);
        return Promise.resolve({ state: 'submitted', error: null });
      },
    });
    await workflow.result();
    expect(sent).toEqual(['rolled back', 'rolled back']);
  });
});
