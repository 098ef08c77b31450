import type { EventType } from '../event-types.ts';
import type { DepositEventData } from './deposit-event-data.ts';
import type { GovernanceEventData } from './governance-event-data.ts';
import type { VaultEventData } from './vault-event-data.ts';

/** What an event of each type says. */
export type EventData = VaultEventData & DepositEventData & GovernanceEventData;

/** The types of events that say the same as this one. */
export type EventTypeLike<Type extends EventType> = {
  [Other in EventType]: EventData[Other] extends EventData[Type]
    ? EventData[Type] extends EventData[Other]
      ? Other
      : never
    : never;
}[EventType];
