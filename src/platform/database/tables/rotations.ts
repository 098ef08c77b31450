import type { SignedAgreement } from '../../../rotation/rules/cosigner-agreement.ts';
import type { StoredCustody } from '../../../rotation/queries/stored-custody.ts';
import type { Json, NullableJson, NullableTimestamp, Timestamp } from './columns.ts';

export interface RotationsTable {
  id: string;
  vault_id: string;
  reason: string;
  is_urgent: boolean;
  target: Json<StoredCustody>;
  /** What was signed for its cosigners; null where they stay. */
  agreements: NullableJson<readonly SignedAgreement[]>;
  announced_at: Timestamp;
  starts_at: Timestamp;
  begun_at: NullableTimestamp;
  changed_at: NullableTimestamp;
  finished_at: NullableTimestamp;
  cancelled_at: NullableTimestamp;
}

export interface RotationTables {
  rotations: RotationsTable;
}
