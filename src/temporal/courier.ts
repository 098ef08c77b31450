import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import type { SearchAttributePair } from '@temporalio/common';
import { wallClock } from '../domain/clock.ts';
import { secondsAfter } from '../domain/instant.ts';
import type { Db } from '../store/database.ts';
import type { DatabaseClock } from '../store/unit-of-work.ts';
import {
  markNoticesSent,
  type NoticeFilter,
  takeUnsentNotices,
  type WorkflowNotice,
} from '../store/workflow-notices.ts';
import type { AnchorLaneInput, ProposalInput, TransactionInput, VaultInput, WorkflowMessage } from './messages.ts';
import { searchAttributes } from './search-attributes.ts';

const BATCH = 50;
const DEADLINE_SECONDS = 5;

/** Brings recorded starts and signals to Temporal. What it cannot bring stays recorded and is brought by the sweep. */
export interface Courier {
  /** Sends what waits, soon, without making the caller wait. */
  deliver(): void;
  /** Sends what waits and answers how many went out. */
  deliverAll(filter?: Pick<NoticeFilter, 'minAgeMs'>): Promise<number>;
  /** Ends after what is being sent has been. */
  close(): Promise<void>;
}

export interface CourierDeps {
  db: Db;
  clock: DatabaseClock;
  client: Client;
  taskQueue: string;
  network: string;
  /** Told when Temporal could not be reached; nothing is lost by it. */
  onDelay: (error: unknown) => void;
}

/** A courier over one Temporal connection. */
export function createCourier(deps: CourierDeps): Courier {
  let underWay: Promise<void> = Promise.resolve();
  let waiting = false;

  return {
    deliver() {
      if (waiting) return;
      waiting = true;
      underWay = underWay.then(async () => {
        waiting = false;
        try {
          await deliverAll(deps, {});
        } catch (error) {
          deps.onDelay(error);
        }
      });
    },
    deliverAll: (filter = {}) => deliverAll(deps, filter),
    close: () => underWay,
  };
}

async function deliverAll(deps: CourierDeps, filter: Pick<NoticeFilter, 'minAgeMs'>): Promise<number> {
  let sent = 0;
  for (;;) {
    const { taken, failures } = await deliverBatch(deps, filter);
    sent += taken - failures.length;
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} notices could not be sent`);
    if (taken < BATCH) return sent;
  }
}

async function deliverBatch(deps: CourierDeps, filter: Pick<NoticeFilter, 'minAgeMs'>) {
  return deps.db.transaction().execute(async (tx) => {
    // A workflow must start at the clock its deadlines are measured by, so the clock stands still meanwhile (design §7).
    const { offsetMs } = await deps.clock.within(tx);
    const notices = await takeUnsentNotices(tx, { ...filter, limit: BATCH });
    const byWorkflow = Map.groupBy(notices, (notice) => notice.workflowId);
    const failures: unknown[] = [];
    const sent: string[] = [];
    await Promise.all(
      [...byWorkflow.values()].map(async (queue) => {
        for (const notice of queue) {
          try {
            await send(deps, notice, offsetMs);
            sent.push(notice.id);
          } catch (error) {
            failures.push(error);
            return;
          }
        }
      }),
    );
    if (sent.length > 0) await markNoticesSent(tx, sent);
    return { taken: notices.length, failures };
  });
}

async function send(deps: CourierDeps, { workflowId, message }: WorkflowNotice, offsetMs: number): Promise<void> {
  const { client } = deps;
  const deadline = secondsAfter(wallClock.now(), DEADLINE_SECONDS);
  try {
    await client.withDeadline(deadline, async () => {
      if (message.kind === 'signal') await client.workflow.getHandle(workflowId).signal(message.signal);
      else await client.workflow.start(message.workflow, startOptions(deps, workflowId, message, offsetMs));
    });
  } catch (error) {
    // Ended, or not started yet: either way it reads the facts from Postgres, so there is nothing to tell it.
    if (error instanceof WorkflowNotFoundError || error instanceof WorkflowExecutionAlreadyStartedError) return;
    throw error;
  }
}

type Start = Extract<WorkflowMessage, { kind: 'start' }>;

function startOptions({ taskQueue, network }: CourierDeps, workflowId: string, message: Start, clockOffsetMs: number) {
  const attributes: SearchAttributePair[] = [{ key: searchAttributes.network, value: network }];
  const vaultId = message.workflow === 'anchorLane' ? null : message.vaultId;
  if (vaultId !== null) attributes.push({ key: searchAttributes.vaultId, value: vaultId });
  const again = message.workflow === 'vault' && message.again === true;
  return {
    workflowId,
    taskQueue,
    args: [inputOf(message, clockOffsetMs)],
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
    workflowIdReusePolicy: again ? ('ALLOW_DUPLICATE' as const) : ('REJECT_DUPLICATE' as const),
    typedSearchAttributes: attributes,
  };
}

type Input = VaultInput | TransactionInput | ProposalInput | AnchorLaneInput;

function inputOf(message: Start, clockOffsetMs: number): Input {
  switch (message.workflow) {
    case 'vault':
      return { vaultId: message.vaultId, clockOffsetMs };
    case 'transaction':
      return { transactionId: message.transactionId, clockOffsetMs };
    case 'proposal':
      return { proposalId: message.proposalId, clockOffsetMs };
    case 'anchorLane':
      return { laneId: message.laneId, clockOffsetMs };
  }
}
