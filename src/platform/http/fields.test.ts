import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { CaseInsensitive } from './fields.ts';

const prices = { Low: 1, High: 2 };
const Choice = z.strictObject({ choice: CaseInsensitive(['Low', 'High']) });

test.each(['other', 'x'.repeat(41)])(
  'a rule of the whole object is not asked about a word that is none of them: %s',
  (choice) => {
    const Priced = Choice.refine((whole) => prices[whole.choice].toFixed() !== '');
    expect(Priced.safeParse({ choice }).success).toBe(false);
    expect(Priced.parse({ choice: 'HIGH' })).toEqual({ choice: 'High' });
  },
);
