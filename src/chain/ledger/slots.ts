import { type Instant, instant } from '../../domain/units/instant.ts';

/** One known pair of slot and time, from /blocks/latest and /genesis: no network's offset is ever written down here. */
export interface SlotAnchor {
  readonly slot: number;
  readonly time: Instant;
  readonly slotLengthMs: number;
}

/** The slot that holds `at`. */
export function slotAt(anchor: SlotAnchor, at: Instant): number {
  return anchor.slot + Math.floor((at - anchor.time) / anchor.slotLengthMs);
}

/** The instant at which `slot` begins. */
export function instantOfSlot(anchor: SlotAnchor, slot: number): Instant {
  return instant(anchor.time + (slot - anchor.slot) * anchor.slotLengthMs);
}
