import type { Instant } from '../../platform/units/instant.ts';
import { noticeBegins } from './list-changes.ts';
import type { Span, WindowKind } from './window.ts';

/** The instants at which time alone takes from the admin what they may change or cancel. */
export function changeDeadlines({ asset, investment }: Readonly<Record<WindowKind, Span>>): Instant[] {
  return [asset.startsAt, noticeBegins(asset), asset.endsAt, investment.startsAt, investment.endsAt];
}
