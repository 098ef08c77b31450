import { type AuditEntry, auditInsert } from '../access/queries/audit-log.ts';
import { auditActorOf, type Caller } from '../access/rules.ts';
import type { EventData } from './queries/event-data.ts';
import type { EventType } from './queries/event-types.ts';
import { type EventFields, eventInsert, type NewEvent, type NumberedEvent } from './queries/events.ts';
import { executeAsOne } from '../platform/database/statements.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { vaultWorkflowId } from '../platform/temporal/workflow-ids.ts';
import { isoText } from '../platform/units/time.ts';

/** An action for the audit log and the caller who took it. */
export interface AuditedAction extends Pick<AuditEntry, 'action' | 'resource' | 'metadata'> {
  readonly caller: Caller;
  /** The wallet that an API key acted for. */
  readonly onBehalfOf?: string | undefined;
}

/** What a change publishes: an event for subscribers, an entry for the audit log, or both. */
export interface Publication {
  readonly event?: NewEvent;
  readonly audit?: AuditedAction;
}

/** Records the event and the audit entry of a change in the transaction that makes it. @see spec, "Authentication" 8 */
export async function publish(context: TransactionContext, publication: Publication): Promise<void> {
  await publishAll(context, [publication]);
}

/** An action of a caller, whose event and audit entry have the same name. */
export type CallerAction<Type extends EventType = EventType> = AuditedAction & EventFields & ActionData<Type>;

/** The name of an action, with the data of its event. */
type ActionData<Type extends EventType = EventType> = {
  [One in Type]: { readonly action: One; readonly eventData: EventData[One] };
}[Type];

/** Publishes an action as an event and as an audit entry. */
export async function publishAction(context: TransactionContext, published: CallerAction): Promise<void> {
  await publishActions(context, [published]);
}

/** As `publishAction`, for several actions; recorded in this order. */
export async function publishActions(context: TransactionContext, actions: readonly CallerAction[]): Promise<void> {
  const publications = actions.map((action) => {
    const { vaultId, actor, transactionHash, correlationId, eventData: data, ...audit } = action;
    // A spread loses that the data belong to the type.
    const event = { type: audit.action, vaultId, actor, transactionHash, correlationId, data } as NewEvent;
    return { event, audit };
  });
  await publishAll(context, publications);
}

/** As `publish`, for several changes; recorded in this order. */
export async function publishAll(context: TransactionContext, publications: readonly Publication[]): Promise<void> {
  const events = publications.flatMap(({ event }) => event ?? []);
  const audits = publications.flatMap(({ audit }) => audit ?? []);
  const inserts = [
    ...(events.length === 0 ? [] : [eventInsert(context, events)]),
    ...(audits.length === 0 ? [] : [auditInsert(context, audits.map(auditEntryOf))]),
  ];
  if (inserts.length > 0) await executeAsOne(context.tx, inserts);
}

/** The fields of an event that the platform causes, not a caller. */
export function platformEventFields(vaultId: string): Pick<NewEvent, 'vaultId' | 'actor' | 'correlationId'> {
  return { vaultId, actor: 'platform', correlationId: vaultWorkflowId(vaultId) };
}

function auditEntryOf({ caller, onBehalfOf, ...entry }: AuditedAction): AuditEntry {
  // A key that acts for another wallet is the actor, even when a session came with the request.
  const actor = auditActorOf(onBehalfOf === undefined ? caller : { ...caller, wallet: null });
  const metadata = onBehalfOf === undefined ? entry.metadata : { ...entry.metadata, onBehalfOf };
  return { ...entry, actor, metadata };
}

/** An event as subscribers get it (design §6). A type, because a response schema requires an index signature. */
export type EventMessage = {
  /** Dense over all events; a subscription continues after it. */
  readonly seq: number;
  readonly id: string;
  readonly type: EventType;
  readonly vaultId: string | null;
  /** The wallet that acted, or `platform`. */
  readonly actor: string;
  readonly transactionHash: string | null;
  readonly occurredAt: string;
  readonly correlationId: string;
  readonly data: Readonly<Record<string, unknown>>;
};

export function messageOf({ wallets: _wallets, occurredAt, ...event }: NumberedEvent): EventMessage {
  return { ...event, occurredAt: isoText(occurredAt) };
}
