import type { AnnouncementKind } from '../../../versions/rules/announcement.ts';
import type { Amount, NullableText, NullableTimestamp, Timestamp } from './columns.ts';

/** Requests to a version in one day. */
export interface VersionUsageTable {
  day: Timestamp;
  version: string;
  requests: Amount;
  errors: Amount;
  duration_ms: Amount;
}

/** An API key that used a version in one day. */
export interface VersionClientsTable {
  day: Timestamp;
  version: string;
  api_key_id: string;
}

export interface AnnouncementsTable {
  id: string;
  kind: AnnouncementKind;
  version: string;
  message: string;
  effective_at: NullableTimestamp;
  link: NullableText;
  created_by: string;
  created_at: Timestamp;
}

export interface FeatureFlagsTable {
  name: string;
  enabled: boolean;
  version: string;
  /** Basis points. */
  rollout: number;
  client_ids: string[];
  environments: string[];
  starts_at: NullableTimestamp;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface VersionTables {
  version_usage: VersionUsageTable;
  version_clients: VersionClientsTable;
  announcements: AnnouncementsTable;
  feature_flags: FeatureFlagsTable;
}
