import type { Socket } from 'socket.io';
import { type Caller, mayActForAnyWallet, requireMayActFor } from '../../access/rules.ts';
import { parseWalletAddress } from '../../cardano/scripts/address.ts';
import type { NetworkId } from '../../cardano/transaction.ts';
import type { EventFeed } from '../event-tail.ts';
import type { LiveContext } from './live-context.ts';
import type { EventMessage } from '../publish.ts';
import type { EventType } from '../queries/event-types.ts';
import { type RetainedNumbers, retainedNumbers } from '../queries/events.ts';
import { type Topic, topicName } from '../rules.ts';
import type { Db } from '../../platform/database/database.ts';
import { ServiceError, fieldError } from '../../platform/errors.ts';
import { checkPermission } from '../../platform/http/route.ts';
import type { Limited } from '../../platform/http/concurrency.ts';
import { AddressText, ResourceId } from '../../platform/http/fields.ts';
import { serviceErrorOf } from '../../platform/http/error-handler.ts';
import type { Client } from '../../platform/http/client-address.ts';
import { requireReadableProposal } from '../../proposals/read-proposals.ts';
import { requireReadableVault, vaultAttributes } from '../../vaults/require-vault.ts';

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
interface Subscriptions {
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
  /** Name of the topic of the vault that is read; null for a wallet and for everything. */
  readonly vaultTopic: string | null;
  readonly ended: AbortController;
}

type SharedContext = Pick<LiveContext, 'db' | 'logger' | 'feed'>;

/** What the subscriptions of one connection use. */
type SubscriptionsContext = SharedContext & Readonly<Record<'checks' | 'replays', Limited>>;

/** With the concurrency limits of whoever follows. */
export function subscriptionContextOf(
  client: Client,
  context: SharedContext & Pick<LiveContext, 'checks' | 'replays'>,
) {
  return { ...context, checks: context.checks(client), replays: context.replays(client) };
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
    if (reason.code === 'SYSTEM_ERROR') logger.error({ error }, 'a subscription failed');
    sink.refuse(name, reason);
  };

  function recheck(isAffected: (subscription: Subscription) => boolean): void {
    for (const [name, subscription] of open)
      if (isAffected(subscription))
        checks(() => requireMayFollow(db, caller(), subscription.topic)).catch(endOf(name, subscription));
  }

  const stopListening = feed.onBatch((batch) => {
    recheck(({ vaultTopic }) => vaultTopic !== null && changesAccess(batch.get(vaultTopic), caller()));
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
      const subscription = { topic, vaultTopic: vaultTopicOf(vaultId), ended: new AbortController() };
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

/** Made once: each batch of events asks every subscription of the process. */
const vaultTopicOf = (vaultId: string | null) => (vaultId === null ? null : topicName({ kind: 'vault', id: vaultId }));

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

function changesAccess(ofVault: readonly EventMessage[] = [], { wallet }: Caller): boolean {
  return ofVault.some(({ type, actor }) => accessChanges.has(type) || (endsOfAttempts.has(type) && actor === wallet));
}

/** How often a client learns how far a quiet subscription is, in milliseconds. Events are kept for at least a day. */
const EVERY_MS = 600_000;

/** The subscriptions of a socket that have all events up to the newest one. */
export interface Positions {
  /** Tells the client that nothing is missing, now and then again. */
  readonly join: (subscription: string) => void;
  readonly leave: (subscription: string) => void;
  readonly close: () => void;
}

export function createPositions(socket: Pick<Socket, 'emit'>, feed: Pick<EventFeed, 'position'>): Positions {
  const joined = new Set<string>();
  const send = (subscription: string) => {
    socket.emit('position', { subscription, after: feed.position() });
  };
  const timer = setInterval(() => {
    for (const subscription of joined) send(subscription);
  }, EVERY_MS);
  return {
    join(subscription) {
      joined.add(subscription);
      send(subscription);
    },
    leave: (subscription) => void joined.delete(subscription),
    close() {
      clearInterval(timer);
    },
  };
}

/** Where a subscription begins: after this event, or at the newest one. Throws the errors of `requireKept`. */
export async function startOf(db: Db, feed: EventFeed, after: number | undefined): Promise<number> {
  if (after === undefined) return feed.position();
  if (after > 0 && after !== feed.position()) requireRetained(after, feed.position(), await retainedNumbers(db));
  return after;
}

/**
 * Throws INVALID_REQUEST at `after` beyond the last event, and where the next one is no longer kept; after 0 are all that there are.
 * `position` is how far this process has read: another one may have sent later events, which are in `kept`.
 */
export function requireRetained(after: number, position: number, { first, last }: RetainedNumbers): void {
  const deleted = first - 1;
  if (after > 0 && after < position && after < deleted)
    throw fieldError(
      'INVALID_REQUEST',
      'after',
      `Events up to number ${deleted} are no longer kept. Read the resources again and continue from \`next\`.`,
    );
  if (after > position && after > last)
    throw fieldError(
      'INVALID_REQUEST',
      'after',
      `The last event has the number ${last}. Read the resources again and continue from \`next\`.`,
    );
}

/** What is followed: exactly one field, or none for everything. */
export const TopicFields = {
  vaultId: ResourceId.describe('Events of this vault.').optional(),
  proposalId: ResourceId.describe('Events of this proposal.').optional(),
  wallet: AddressText.describe(
    'Events of this wallet in all vaults: its actions, and changes of its deposits, stakes and votes. Requires ' +
      'its session or the permission `wallet:UPDATE`.',
  ).optional(),
};

/** The fields of a request that name a topic. */
interface TopicRequest {
  readonly vaultId?: string | undefined;
  readonly proposalId?: string | undefined;
  readonly wallet?: string | undefined;
}

/** The topic that the fields name. Throws INVALID_REQUEST when they name several, INVALID_ADDRESS, WRONG_NETWORK. */
export function topicOf(fields: TopicRequest, networkId: NetworkId): Topic {
  const { vaultId, proposalId, wallet } = fields;
  const named = Object.entries({ vaultId, proposalId, wallet }).filter(([, value]) => value !== undefined);
  const second = named[1];
  if (second) throw fieldError('INVALID_REQUEST', second[0], 'Name only one of vaultId, proposalId and wallet.');
  if (vaultId !== undefined) return { kind: 'vault', id: vaultId.toLowerCase() };
  if (proposalId !== undefined) return { kind: 'proposal', id: proposalId.toLowerCase() };
  if (wallet !== undefined) return { kind: 'wallet', id: parseWalletAddress(wallet, networkId, 'wallet').address };
  return { kind: 'all' };
}

/**
 * The vault whose readers may follow the topic; null for a wallet and for everything. Throws INSUFFICIENT_PERMISSIONS,
 * VAULT_NOT_FOUND and PROPOSAL_NOT_FOUND, as a read of what the topic names would.
 */
async function requireMayFollow(db: Db, caller: Caller, topic: Topic): Promise<string | null> {
  await requireTopicPermission(db, caller, topic);
  switch (topic.kind) {
    case 'vault':
      return (await requireReadableVault(db, caller, topic.id)).id;
    case 'proposal':
      return (await requireReadableProposal(db, caller, topic.id)).vault.id;
    case 'wallet':
    case 'all':
      return null;
  }
}

/** As `requireMayFollow`, without finding out whether the caller may read what the topic names. */
export async function requireTopicPermission(db: Db, caller: Caller, topic: Topic): Promise<void> {
  const vaultRule = { resource: 'vault', action: 'READ', attributes: vaultAttributes } as const;
  switch (topic.kind) {
    case 'vault':
      await checkPermission(vaultRule, caller, () => ({ vaultId: topic.id }), { db });
      break;
    case 'proposal':
      await checkPermission({ resource: 'proposal', action: 'READ' }, caller, () => null, { db });
      break;
    case 'wallet':
      requireMayActFor(caller, topic.id);
      break;
    case 'all':
      if (!mayActForAnyWallet(caller))
        throw fieldError('INVALID_REQUEST', 'vaultId', 'Name a vaultId, a proposalId or a wallet.');
  }
}
