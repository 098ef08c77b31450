import type { PausedArea } from '../../../operations/rules/pause.ts';
import type { Timestamp } from './columns.ts';

export interface PauseTables {
  pauses: { area: PausedArea; reason: string; since: Timestamp };
}
