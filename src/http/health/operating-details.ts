import { z } from 'zod';
import type { AnchorCost } from '../../anchoring/anchors.ts';
import type { OperatorFunds } from '../../domain/operator/runway.ts';
import { isoText } from '../../domain/units/instant.ts';
import type { Lovelace } from '../../domain/units/money.ts';
import { AmountText, Timestamp } from '../../server/fields.ts';

/** What an operator watches. */
export const OperatingDetails = z
  .object({
    operator: z
      .object({
        lovelace: AmountText.describe('What the address of the operator holds'),
        seenAt: Timestamp.describe('When a worker last saw it'),
        spentPerDay: AmountText.describe('Lovelace; the mean of the last seven days'),
        runwayDays: z
          .number()
          .nullable()
          .describe('Days until nothing is left at that rate; null if nothing was spent'),
      })
      .nullable()
      .describe('null until a worker has seen the address'),
    anchors: z.object({
      spentToday: AmountText.describe('Lovelace; what the anchors of all processes cost since midnight (UTC)'),
      spentTodayHere: AmountText.describe('Lovelace; those of this process'),
      dailyBudget: AmountText.describe('Lovelace; what the anchors of one process should cost on a day'),
      intervalSeconds: z.number().describe('The longest that a fact waits for its batch in this process at present'),
    }),
  })
  .describe('Only for a key with role ADMIN');

interface Watched {
  readonly funds: OperatorFunds | null;
  readonly spentToday: Lovelace;
  readonly cost: AnchorCost;
}

export function presentDetails({ funds, spentToday, cost }: Watched): z.input<typeof OperatingDetails> {
  return {
    operator: funds && {
      lovelace: funds.held.toString(),
      seenAt: isoText(funds.seenAt),
      spentPerDay: funds.spentPerDay.toString(),
      runwayDays: funds.runwayDays === null ? null : Math.round(funds.runwayDays * 10) / 10,
    },
    anchors: {
      spentToday: spentToday.toString(),
      spentTodayHere: cost.spentToday.toString(),
      dailyBudget: cost.dailyBudget.toString(),
      intervalSeconds: cost.intervalMs / 1000,
    },
  };
}
