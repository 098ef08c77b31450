import { type Instant, instant } from '../../platform/units/time.ts';

/** A known slot with its time, from /blocks/latest and /genesis, so that no network offset is hard-coded. */
export interface SlotAnchor {
  readonly slot: number;
  readonly time: Instant;
  readonly slotLengthMs: number;
}

/** The slot that contains the instant `at`. */
export function slotAt(anchor: SlotAnchor, at: Instant): number {
  return anchor.slot + Math.floor((at - anchor.time) / anchor.slotLengthMs);
}

/** The instant at which `slot` begins. */
export function instantOfSlot(anchor: SlotAnchor, slot: number): Instant {
  return instant(anchor.time + (slot - anchor.slot) * anchor.slotLengthMs);
}
