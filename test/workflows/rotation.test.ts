import { expect, test } from '@jest/globals';
import { wallClock, instant } from '../../src/platform/units/time.ts';
import { until } from '../stack/until.ts';
import { prepares, runRotation, waits } from './run-ending.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const inAnHour = instant(wallClock.now() + HOUR);

test('a rotation begins when the notice ends, waits for executions, and moves outputs until all are in the new custody', async () => {
  await using rotation = await runRotation(waits('notice', inAnHour));
  await rotation.shows('Announced. Waiting for the end of the notice.');
  expect(await rotation.phase()).toEqual({ name: 'rotation_notice', endsAt: inAnHour });
  await rotation.moveTo(HOUR - MINUTE);
  rotation.becomesUnseen(waits('end_executions'));
  await rotation.shows('Announced.');
  await rotation.moveTo(HOUR + MINUTE);
  await rotation.shows('Waiting until the submitted executions are final or have failed.');
  expect(await rotation.phase()).toEqual({ name: 'rotation_end_executions', endsAt: undefined });
  expect(rotation.calls('advanceRotation').at(-1)?.now).toBeGreaterThanOrEqual(inAnHour);

  await rotation.becomes(prepares('move_outputs'));
  await rotation.shows('Moving all outputs of the vault to its new custody.');
  const isMoved = (times: number) =>
    until(() => rotation.calls('prepareMove').length === times, { what: `move ${times}` });
  await isMoved(1);
  await rotation.becomes(prepares('move_outputs'));
  await isMoved(2);
  await rotation.becomes(waits('finished'));
  expect(await rotation.result()).toBe('finished');
  expect(await rotation.details()).toBe('Everything is in the new custody.');
});

test('a rotation that is cancelled before it begins ends at once and moves nothing', async () => {
  await using rotation = await runRotation(waits('notice', inAnHour));
  await rotation.shows('Announced.');
  await rotation.becomes(waits('cancelled'), 'cancelRequested');
  expect(await rotation.result()).toBe('cancelled');
  expect(await rotation.details()).toBe('Cancelled before it began.');
  expect(rotation.calls('prepareMove')).toEqual([]);
});

test('a rotation whose beginning is brought forward or put off begins at the new time', async () => {
  await using rotation = await runRotation(waits('notice', instant(inAnHour + 2 * HOUR)));
  const reads = () => rotation.calls('advanceRotation').length;
  await rotation.shows('Announced.');
  for (const end of [inAnHour, instant(inAnHour + HOUR)]) {
    const before = reads();
    await rotation.becomes(waits('notice', end));
    await until(() => reads() > before, { what: 'the new time to be read' });
  }
  await rotation.moveTo(HOUR + 10 * MINUTE);
  rotation.becomesUnseen(waits('finished'));
  await rotation.moveTo(2 * HOUR - MINUTE);
  expect((await rotation.handle.describe()).status.name).toBe('RUNNING');
  await rotation.moveTo(2 * HOUR + MINUTE);
  expect(await rotation.result()).toBe('finished');
});
