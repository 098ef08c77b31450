import type { PausedArea } from '../../domain/pause/pause.ts';
import type { Timestamp } from './columns.ts';

/** The tables of migration 0033. */
export interface PauseTables {
  pauses: { area: PausedArea; reason: string; since: Timestamp };
}
