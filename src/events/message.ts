import { isoText } from '../platform/units/instant.ts';
import type { EventType } from './queries/event-types.ts';
import type { NumberedEvent } from './queries/numbered-events.ts';

/** An event as subscribers get it (design §6). A type, because a response schema requires an index signature. */
export type EventMessage = {
  /** Dense over all events; a subscription goes on after it. */
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
