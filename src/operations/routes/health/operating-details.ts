import { z } from 'zod';
import type { AnchorCost } from '../../../anchoring/anchors.ts';
import type { OperatorFunds } from '../../rules/runway.ts';
import { isoText } from '../../../platform/units/instant.ts';
import type { ApiContext } from '../../../api-context.ts';
import { AmountText, Timestamp } from '../../../platform/http/fields.ts';
import { readOperatorFunds } from '../../read-operator-funds.ts';
import { countUnlandedAnchors, type UnlandedAnchors } from '../../../anchoring/queries/anchor-batches.ts';
import { spentByLanesToday } from '../../../anchoring/queries/anchor-lanes.ts';
import { inTime } from './readiness.ts';

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
      unlanded: z
        .object({
          count: z.number().int().describe('How many'),
          oldestSealedAt: Timestamp.nullable().describe('When the oldest was sealed; null if there is none'),
        })
        .describe('Anchors of all lanes that are not on the ledger yet'),
      intervalSeconds: z.number().describe('The longest that a fact waits for its batch in this process at present'),
    }),
  })
  .describe('Only for a key with role ADMIN');

type Details = z.input<typeof OperatingDetails>;

/** What was read; without what could not be read, which is named. */
export type Watched =
  | { readonly kind: 'all'; readonly details: Details }
  | {
      readonly kind: 'some';
      readonly details: Pick<Partial<Details>, 'operator'> & { readonly anchors: Partial<Details['anchors']> };
      readonly unreadable: readonly string[];
      readonly cause: unknown;
    };

/** Reads what an operator watches, each by itself: what cannot be read does not hide the rest. Never rejects. */
export async function readOperatingDetails({ db, anchors }: Pick<ApiContext, 'db' | 'anchors'>): Promise<Watched> {
  const here = presentCost(anchors.cost());
  const [funds, spending, waiting] = await Promise.allSettled([
    inTime(readOperatorFunds(db)),
    inTime(spentByLanesToday(db)),
    inTime(countUnlandedAnchors(db)),
  ]);
  const operator = isRead(funds) && { operator: funds.value && presentFunds(funds.value) };
  const spentToday = isRead(spending) && { spentToday: spending.value.toString() };
  const unlanded = isRead(waiting) && { unlanded: presentUnlanded(waiting.value) };
  if (operator && spentToday && unlanded)
    return { kind: 'all', details: { ...operator, anchors: { ...spentToday, ...here, ...unlanded } } };
  const parts = { operator, 'anchors.spentToday': spentToday, 'anchors.unlanded': unlanded };
  return {
    kind: 'some',
    details: { ...operator, anchors: { ...spentToday, ...here, ...unlanded } },
    unreadable: Object.entries(parts).flatMap(([name, part]) => (part ? [] : [name])),
    cause: [funds, spending, waiting].find((outcome) => outcome.status === 'rejected')?.reason,
  };
}

function isRead<Value>(outcome: PromiseSettledResult<Value>): outcome is PromiseFulfilledResult<Value> {
  return outcome.status === 'fulfilled';
}

function presentFunds(funds: OperatorFunds) {
  return {
    lovelace: funds.held.toString(),
    seenAt: isoText(funds.seenAt),
    spentPerDay: funds.spentPerDay.toString(),
    runwayDays: funds.runwayDays === null ? null : Math.round(funds.runwayDays * 10) / 10,
  };
}

function presentUnlanded({ count, oldestSealedAt: oldest }: UnlandedAnchors) {
  return { count, oldestSealedAt: oldest && isoText(oldest) };
}

function presentCost(cost: AnchorCost) {
  return {
    spentTodayHere: cost.spentToday.toString(),
    dailyBudget: cost.dailyBudget.toString(),
    intervalSeconds: cost.intervalMs / 1000,
  };
}
