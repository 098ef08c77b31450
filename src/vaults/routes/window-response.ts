import { z } from 'zod';
import { printDuration, type Instant, isoText } from '../../platform/units/time.ts';
import { type Window, windowStatusAt } from '../rules/window.ts';
import { DurationPrinted, Timestamp } from '../../platform/http/fields.ts';
import { WindowStatusEnum } from './enums.ts';

export const windowStartText = 'Inclusive start of the window (UTC).';
export const windowEndText = 'Exclusive end of the window (UTC).';

export const WindowFields = z.object({
  startTime: Timestamp.describe(windowStartText),
  endTime: Timestamp.describe(windowEndText),
  duration: DurationPrinted,
  status: WindowStatusEnum,
});

export function presentWindow(window: Window, now: Instant): z.input<typeof WindowFields> {
  return {
    startTime: isoText(window.startsAt),
    endTime: isoText(window.endsAt),
    duration: printDuration(Math.floor((window.endsAt - window.startsAt) / 1000)),
    status: windowStatusAt(window, now),
  };
}
