import { z } from 'zod';

const times = z.int().min(0).max(1_000_000).optional();

/** Faults in the form of POST /dev/faults: a number is how many of the next submissions fail. */
export const FaultSettings = z.strictObject({
  submit429: times,
  submit425: times,
  submit500AfterAccept: times,
  drop: times,
  delayMs: z.int().min(0).max(600_000).optional(),
  all: z.literal('down').optional(),
});

export type FaultSettings = z.infer<typeof FaultSettings>;

type Counted = 'submit429' | 'submit425' | 'submit500AfterAccept' | 'drop';

/** The faults in force. */
export function createFaults() {
  let settings: FaultSettings = {};
  return {
    settings: () => settings,
    /** Replaces all faults; an empty object ends them. */
    set(next: FaultSettings): void {
      settings = { ...next };
    },
    /** Uses up one requested fault of this kind; false if none is left. */
    consume(name: Counted): boolean {
      const left = settings[name] ?? 0;
      if (left > 0) settings[name] = left - 1;
      return left > 0;
    },
  };
}

export type Faults = ReturnType<typeof createFaults>;
