import type { Permission } from '../../../access/rules/permission.ts';
import type { Json, NullableText, NullableTimestamp, Timestamp } from './columns.ts';

export interface ApiKeysTable {
  id: string;
  environment: string;
  name: string;
  secret_hash: Buffer;
  roles: string[];
  permissions: Json<Permission[]>;
  /** Requests per window that this key may make instead of its role's limit. */
  rate_limit: number | null;
  created_by: string;
  created_at: Timestamp;
  last_used_at: NullableTimestamp;
  expires_at: NullableTimestamp;
  revoked_at: NullableTimestamp;
  /** The key that this one replaced by a rotation. */
  replaces: NullableText;
}

export interface WalletRolesTable {
  wallet: string;
  roles: string[];
  /** The API key or the wallet that gave them. */
  updated_by: string;
  updated_at: Timestamp;
}

export interface IdempotencyKeysTable {
  api_key_id: string;
  operation: string;
  key: string;
  fingerprint: Buffer;
  /** Null only inside the transaction that claims the key. */
  status: number | null;
  body: string | null;
  expires_at: Timestamp;
}

export interface RateLimitsTable {
  caller: string;
  hits: number;
  resets_at: Timestamp;
}

export interface AccessTables {
  api_keys: ApiKeysTable;
  wallet_roles: WalletRolesTable;
  idempotency_keys: IdempotencyKeysTable;
  rate_limits: RateLimitsTable;
}
