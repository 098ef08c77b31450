import { sql } from 'kysely';
import { z } from 'zod';
import { requirePlatform } from '../../access/acting-wallet.ts';
import type { AnchorCost } from '../../anchoring/anchors.ts';
import { countUnconfirmedAnchors, type UnconfirmedAnchors } from '../../anchoring/queries/anchor-batches.ts';
import { spentOnAnchorsToday } from '../../anchoring/queries/anchor-chains.ts';
import { type ApiContext, route } from '../../api-context.ts';
import { checkSerializationLibrary } from '../../cardano/canary.ts';
import { readOperatorFunds } from '../operator-funds.ts';
import { type ReadinessCheck, inTime } from './health/readiness.ts';
import type { OperatorFunds } from '../rules.ts';
import { requireWorker } from '../require-not-paused.ts';
import type { Db } from '../../platform/database/database.ts';
import { ServiceError } from '../../platform/errors.ts';
import { AmountText, Timestamp } from '../../platform/http/fields.ts';
import { ok } from '../../platform/http/route.ts';
import { isoText } from '../../platform/units/time.ts';

/** What the api needs to serve requests. `probeDb` has a connection of its own, so that a check never waits for requests. */
export function apiChecks(probeDb: Db): Readonly<Record<string, ReadinessCheck>> {
  return {
    database: async () => {
      await sql`select 1`.execute(probeDb);
    },
    platform: async () => {
      await requirePlatform(probeDb);
    },
    worker: () => requireWorker(probeDb),
    serialization: () => Promise.resolve().then(checkSerializationLibrary),
  };
}

/** What an operator watches. */
const OperatingDetails = z
  .object({
    operator: z
      .object({
        lovelace: AmountText.describe("Balance of the operator's address, in lovelace."),
        seenAt: Timestamp.describe('Time at which a worker last read the balance.'),
        spentPerDay: AmountText.describe('Mean lovelace per day over the last seven days.'),
        runwayDays: z
          .number()
          .nullable()
          .describe('Days until the balance is used up at that rate. `null` if nothing was spent.'),
      })
      .nullable()
      .describe('`null` until a worker has read the address.'),
    anchors: z.object({
      spentToday: AmountText.describe('Cost of the anchors of all processes since midnight (UTC), in lovelace.'),
      spentTodayHere: AmountText.describe('Cost of the anchors of this process, in lovelace.'),
      dailyBudget: AmountText.describe('Daily anchor budget of one process, in lovelace.'),
      unlanded: z
        .object({
          count: z.number().int().describe('Number of anchors.'),
          oldestSealedAt: Timestamp.nullable().describe('Time at which the oldest was built. `null` if there is none.'),
        })
        .describe('Anchors of all anchor chains that are not on the ledger yet'),
      intervalSeconds: z.number().describe('Current longest wait of a fact for its batch in this process, in seconds.'),
    }),
  })
  .describe('Details for operators. Only for a key with the role ADMIN.');

type Details = z.input<typeof OperatingDetails>;

/** What was read; without what could not be read, which is named. */
type Watched =
  | { readonly kind: 'all'; readonly details: Details }
  | {
      readonly kind: 'some';
      readonly details: Pick<Partial<Details>, 'operator'> & { readonly anchors: Partial<Details['anchors']> };
      readonly unreadable: readonly string[];
      readonly cause: unknown;
    };

/** Reads what an operator watches, each by itself: what cannot be read does not hide the rest. Never rejects. */
async function readOperatingDetails({ db, anchors }: ApiContext): Promise<Watched> {
  const here = presentCost(anchors.cost());
  const [funds, spending, waiting] = await Promise.allSettled([
    inTime(readOperatorFunds(db)),
    inTime(spentOnAnchorsToday(db)),
    inTime(countUnconfirmedAnchors(db)),
  ]);
  const operator = isRead(funds) && { operator: funds.value && presentFunds(funds.value) };
  const spentToday = isRead(spending) && { spentToday: spending.value.toString() };
  const unlanded = isRead(waiting) && { unlanded: presentUnconfirmed(waiting.value) };
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

function presentUnconfirmed({ count, oldestSealedAt: oldest }: UnconfirmedAnchors) {
  return { count, oldestSealedAt: oldest && isoText(oldest) };
}

function presentCost(cost: AnchorCost) {
  return {
    spentTodayHere: cost.spentToday.toString(),
    dailyBudget: cost.dailyBudget.toString(),
    intervalSeconds: cost.intervalMs / 1000,
  };
}

export const readLiveness = route({
  method: 'get',
  path: '/health/live',
  operationId: 'readLiveness',
  summary: 'Check that the process is running',
  description: 'Needs no API key. Does not check other services.',
  success: 'The process is running',
  permission: { unrestricted: 'Probes have no key, and the response contains nothing about vaults or callers' },
  responses: { 200: z.object({ status: z.literal('live') }) },
  errors: [],
  kind: 'liveness probe',
  handle: () => Promise.resolve(ok({ status: 'live' })),
});

export const readReadiness = route({
  method: 'get',
  path: '/health/ready',
  operationId: 'readReadiness',
  summary: 'Check that the process is ready',
  description:
    'Says whether this process can accept requests. Needs no API key. If a check fails, `details.checks` of the ' +
    'error names it.\n\n' +
    'The checks run at most once a second. An IP address may call this 200 times in 10 seconds.\n\n' +
    "For a key with the role ADMIN, `details` also contain the operator's balance, the days until it is used up, " +
    'and the cost and number of anchors. In an error, `unreadable` names the values that could not be read.',
  success: 'The process can accept requests',
  permission: { unrestricted: 'Probes have no key, and the response contains nothing about vaults or callers' },
  responses: {
    200: z.object({
      status: z.literal('ready'),
      checks: z.record(z.string(), z.literal('ok')),
      details: OperatingDetails.optional(),
    }),
  },
  errors: ['SERVICE_NOT_READY'],
  kind: 'readiness probe',
  async handle({ caller }, context) {
    const results = Object.entries(await context.readiness());
    const watched = caller.roles.includes('ADMIN') ? await readOperatingDetails(context) : null;
    for (const [, failure] of results) if (failure) throw notReady(results, watched, failure.reason);
    if (watched?.kind === 'some') throw notReady(results, watched, watched.cause);
    const checks = Object.fromEntries(results.map(([name]) => [name, 'ok' as const]));
    return ok({ status: 'ready', checks, ...(watched && { details: watched.details }) });
  },
});

function notReady(results: [string, unknown][], watched: Watched | null, cause: unknown): ServiceError {
  const checks = Object.fromEntries(results.map(([name, failure]) => [name, failure ? 'failed' : 'ok']));
  const unreadable = watched?.kind === 'some' && { unreadable: watched.unreadable };
  return new ServiceError('SERVICE_NOT_READY', { checks, ...watched?.details, ...unreadable }, { cause });
}
