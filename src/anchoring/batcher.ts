import { AsyncResource } from 'node:async_hooks';
import { ServiceError } from '../domain/errors.ts';
import type { WriteLocks } from '../store/write-locks.ts';
import { AnswerUnderWay } from '../store/idempotency.ts';
import type { AnchoringContext, Anchors } from './anchors.ts';
import { runBatch, type Writer } from './batch.ts';
import { createLane, type LaneDeps } from './lane.ts';

/** More would hold their locks, and their callers, for too long. */
const BATCH_SIZE = 5000;

export interface AnchorsDeps extends LaneDeps {
  /** Milliseconds from one batch to the next. */
  readonly minIntervalMs: number;
  /** Told how many writes each batch has. */
  readonly onBatch?: (writes: number) => void;
}

type WriteAll<Item, Result> = (work: AnchoringContext, items: readonly Item[]) => Promise<readonly (Result | Error)[]>;

/** Where things to write arrive. */
interface Source {
  /** The writer of the next `count` of them. */
  take(count: number): Writer;
}

/** Collects what arrives and writes it batch by batch, each under one root and one anchor (design §5). */
export function createAnchors(deps: AnchorsDeps): Anchors {
  const lane = createLane(deps);
  /** A source for each thing that has arrived. */
  let arrived: Source[] = [];
  let running: Promise<void> | null = null;
  let nextAt = 0;
  let isClosed = false;
  let hurry: (() => void) | null = null;

  function arrive(source: Source): void {
    arrived.push(source);
    running ??= run();
  }

  async function run(): Promise<void> {
    while (arrived.length > 0) {
      await untilDue();
      nextAt = performance.now() + deps.minIntervalMs;
      const due = arrived.slice(0, BATCH_SIZE);
      const batch = Map.groupBy(due, (source) => source);
      arrived = arrived.slice(BATCH_SIZE);
      const writers = [...batch].map(([source, { length }]) => source.take(length));
      deps.onBatch?.(due.length);
      await runBatch(deps.unitOfWork, lane, writers);
      deps.outboxRelay.deliver();
    }
    running = null;
  }

  function untilDue(): Promise<void> {
    return new Promise((due) => {
      const timer = setTimeout(due, isClosed ? 0 : Math.max(0, nextAt - performance.now()));
      hurry = () => {
        clearTimeout(timer);
        due();
      };
    });
  }

  function group<Item, Result>(
    write: WriteAll<Item, Result>,
    claimOf: (item: Item) => WriteLocks | undefined = () => undefined,
  ): (item: Item) => Promise<Result> {
    const enter = groupInto(arrive, write, claimOf);
    return (item) => {
      if (isClosed) throw new ServiceError('SERVICE_NOT_READY', { waitingFor: 'another instance' });
      return enter(item);
    };
  }

  return {
    group,
    async record<Result>(write: (work: AnchoringContext) => Promise<Result>, claim?: WriteLocks) {
      // What it logs belongs to its own request, whoever's request began the batch.
      const asked = AsyncResource.bind(write);
      return group<null, Result>(
        async (work) => [await asked(work)],
        () => claim,
      )(null);
    },
    async close() {
      isClosed = true;
      hurry?.();
      await running;
      await lane.release();
    },
  };
}

interface Member<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly refuse: (error: unknown) => void;
}

/** A source whose things are written together. */
function groupInto<Item, Result>(
  arrive: (source: Source) => void,
  write: WriteAll<Item, Result>,
  claimOf: (item: Item) => WriteLocks | undefined,
) {
  let waiting: Member<Item, Result>[] = [];
  const source: Source = {
    take(count) {
      const members = waiting.slice(0, count);
      waiting = waiting.slice(count);
      return writerOf(members);
    },
  };

  function enter(member: Member<Item, Result>): void {
    waiting.push(member);
    arrive(source);
  }

  function settle(member: Member<Item, Result>, result: Result | Error): void {
    if (result instanceof AnswerUnderWay) enter(member);
    else if (result instanceof Error) member.refuse(result);
    else member.resolve(result);
  }

  const writerOf = (members: readonly Member<Item, Result>[]): Writer => ({
    claims: () => members.flatMap(({ item }) => claimOf(item) ?? []),
    async run(work) {
      const results = await write(
        work,
        members.map(({ item }) => item),
      );
      if (results.length !== members.length) throw new RangeError('a result for every item is expected');
      return () => {
        for (const [position, result] of results.entries()) {
          const member = members[position];
          if (member) settle(member, result);
        }
      };
    },
    refuse(error) {
      for (const member of members) member.refuse(error);
    },
    postpone() {
      for (const member of members) enter(member);
    },
  });

  return (item: Item): Promise<Result> =>
    new Promise((resolve, refuse) => {
      enter({ item, resolve, refuse });
    });
}
