import type { PausedArea } from '../../domain/pause/pause.ts';
import type { Timestamp } from './columns.ts';

export interface PauseTables {
  pauses: { area: PausedArea; reason: string; since: Timestamp };
}
