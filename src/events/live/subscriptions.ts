import { ServiceError } from '../../platform/errors/errors.ts';
import { type Topic, topicName } from '../rules/topic.ts';
import type { Caller } from '../../access/rules/caller.ts';
import type { Limited } from '../../platform/http/concurrency.ts';
import type { EventBatch } from '../event-feed.ts';
import type { EventMessage } from '../message.ts';
import { serviceErrorOf } from '../../platform/http/service-error.ts';
import type { Visitor } from '../../platform/http/visitor.ts';
import type { EventType } from '../queries/event-types.ts';
import type { LiveContext } from './live-context.ts';
import { startOf } from './start-of.ts';
import { requireMayFollow } from './topics.ts';

const MAX_SUBSCRIPTIONS = 100;

/** After these, a caller may no longer be allowed to read the vault. */
const accessChanges: ReadonlySet<EventType> = new Set<EventType>([
  'VAULT_STATUS_CHANGED',
  'VAULT_ALLOW_LIST_CHANGED',
  'VAULT_SETTINGS_CHANGED',
  'VAULT_DELETED',
]);
/** After these, their wallet has no deposit that lets it read the vault, unless it has another one. */
const endsOfAttempts: ReadonlySet<EventType> = new Set<EventType>(['ASSET_ADD_EXPIRED', 'INVESTMENT_EXPIRED']);

/** Where the events of the subscriptions of one connection go. */
export interface Sink {
  /** Sends events of a subscription in their order; resolves when there is room for more. */
  readonly send: (name: string, events: readonly EventMessage[]) => Promise<void>;
  /** The subscription gets each later event as it happens. */
  readonly join: (name: string) => void;
  readonly leave: (name: string) => void;
  /** Says why the subscription has ended. */
  readonly refuse: (name: string, reason: ServiceError) => void;
}

/** The subscriptions of one connection, by the name of their topic. */
export interface Subscriptions {
  /**
   * Sends the events after a number, or from now on. A topic that is followed already begins again. Throws what a read of the topic
   * throws, TOO_MANY_SUBSCRIPTIONS, and INVALID_REQUEST at `after`.
   */
  readonly subscribe: (topic: Topic, after: number | undefined) => Promise<{ subscription: string; after: number }>;
  /** Returns false when there is no such subscription. */
  readonly unsubscribe: (name: string) => boolean;
  /** Ends the subscriptions that the caller may no longer have. */
  readonly recheck: () => void;
  readonly close: () => void;
}

interface Subscription {
  readonly topic: Topic;
  /** The vault that is read; null for a wallet and for everything. */
  readonly vaultId: string | null;
  readonly ended: AbortController;
}

type SharedContext = Pick<LiveContext, 'db' | 'logger' | 'feed'>;

/** What the subscriptions of one connection use. */
type SubscriptionsContext = SharedContext & Readonly<Record<'checks' | 'replays', Limited>>;

/** With the concurrency limits of whoever follows. */
export function followedBy(visitor: Visitor, context: SharedContext & Pick<LiveContext, 'checks' | 'replays'>) {
  return { ...context, checks: context.checks(visitor), replays: context.replays(visitor) };
}

export function createSubscriptions(context: SubscriptionsContext, caller: () => Caller, sink: Sink): Subscriptions {
  const { db, logger, feed, checks } = context;
  const open = new Map<string, Subscription>();
  let isClosed = false;

  function unsubscribe(name: string): boolean {
    open.get(name)?.ended.abort();
    sink.leave(name);
    return open.delete(name);
  }

  /** Ends a subscription that failed, unless it was replaced meanwhile. */
  const endOf = (name: string, subscription: Subscription) => (error: unknown) => {
    if (open.get(name) !== subscription) return;
    unsubscribe(name);
    const reason = serviceErrorOf(error);
    if (reason.code === 'SYSTEM_ERROR') logger.error({ error }, 'a subscription has failed');
    sink.refuse(name, reason);
  };

  function recheck(isAffected: (subscription: Subscription) => boolean): void {
    for (const [name, subscription] of open)
      if (isAffected(subscription))
        checks(() => requireMayFollow(db, caller(), subscription.topic)).catch(endOf(name, subscription));
  }

  const stopListening = feed.onBatch((batch) => {
    recheck(({ vaultId }) => vaultId !== null && changesAccess(batch, vaultId, caller()));
  });

  return {
    async subscribe(topic, after) {
      const name = topicName(topic);
      const { vaultId, start } = await beginningOf(context, caller, { topic, after });
      // Nobody is left to hear of it, or to end it.
      if (isClosed) return { subscription: name, after: start };
      if (!open.has(name) && open.size >= MAX_SUBSCRIPTIONS)
        throw new ServiceError('TOO_MANY_SUBSCRIPTIONS', { maximum: MAX_SUBSCRIPTIONS });
      unsubscribe(name);
      const subscription = { topic, vaultId, ended: new AbortController() };
      open.set(name, subscription);
      // A change of access since the check above was heard before the subscription was there.
      recheck((one) => one === subscription);
      // In a later turn, so that the client learns the subscription's name before it gets events.
      setImmediate(() => void begin(context, sink, subscription, start).catch(endOf(name, subscription)));
      return { subscription: name, after: start };
    },
    unsubscribe,
    recheck: () => {
      recheck(() => true);
    },
    close() {
      isClosed = true;
      stopListening();
      for (const { ended } of open.values()) ended.abort();
      open.clear();
    },
  };
}

interface Beginning {
  /** The vault that is read; null for a wallet and for everything. */
  readonly vaultId: string | null;
  /** Number of the event after which the subscription begins. */
  readonly start: number;
}

/** Throws what a read of the topic throws, and INVALID_REQUEST at `after`. */
function beginningOf(
  { db, feed, checks }: SubscriptionsContext,
  caller: () => Caller,
  { topic, after }: { readonly topic: Topic; readonly after: number | undefined },
): Promise<Beginning> {
  return checks(async () => ({
    vaultId: await requireMayFollow(db, caller(), topic),
    start: await startOf(db, feed, after),
  }));
}

async function begin(
  { feed, replays }: Pick<SubscriptionsContext, 'feed' | 'replays'>,
  sink: Sink,
  { topic, ended }: Subscription,
  after: number,
): Promise<void> {
  const name = topicName(topic);
  await feed.catchUp({
    topic,
    after,
    limited: replays,
    send: (events) => sink.send(name, events),
    join: () => {
      sink.join(name);
    },
    signal: ended.signal,
  });
}

function changesAccess(batch: EventBatch, vaultId: string, { wallet }: Caller): boolean {
  const events = batch.get(topicName({ kind: 'vault', id: vaultId })) ?? [];
  return events.some(({ type, actor }) => accessChanges.has(type) || (endsOfAttempts.has(type) && actor === wallet));
}
