import { z } from 'zod';
import { defaultDurationBounds } from '../units/time.ts';

const bound = z
  .strictObject({ min: z.int().min(1), max: z.int().min(1) })
  .refine(({ min, max }) => min <= max, 'min must not be above max');

/** DURATION_BOUNDS: bounds in seconds that replace those of the specification; bounds that are not named keep their default (design D2). */
export const durationBounds = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue('must be JSON');
      return z.NEVER;
    }
  })
  .pipe(
    z.strictObject({
      assetWindow: bound.default(defaultDurationBounds.assetWindow),
      investmentWindow: bound.default(defaultDurationBounds.investmentWindow),
      voting: bound.default(defaultDurationBounds.voting),
      lock: bound.default(defaultDurationBounds.lock),
      execution: bound.default(defaultDurationBounds.execution),
      valuationAge: z.strictObject({ max: z.int().min(1) }).default(defaultDurationBounds.valuationAge),
      tradePriceAge: z.strictObject({ max: z.int().min(1) }).default(defaultDurationBounds.tradePriceAge),
    }),
  );
