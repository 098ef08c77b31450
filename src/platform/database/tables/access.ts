import type { Permission } from '../../../access/rules.ts';
import type { Json, NullableText, NullableTimestamp, Timestamp } from './platform.ts';

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

interface WalletRolesTable {
  wallet: string;
  roles: string[];
  /** The API key or the wallet that gave them. */
  updated_by: string;
  updated_at: Timestamp;
}

interface IdempotencyKeysTable {
  api_key_id: string;
  operation: string;
  key: string;
  fingerprint: Buffer;
  /** Null only inside the transaction that claims the key. */
  status: number | null;
  body: string | null;
  expires_at: Timestamp;
}

interface RateLimitsTable {
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

interface LoginNoncesTable {
  nonce: string;
  wallet: string;
  expires_at: Timestamp;
}

export interface SessionsTable {
  id: string;
  /** SHA-256 of the token; the token is not stored. */
  token_hash: Buffer;
  wallet: string;
  /** Of the key that signed the login. */
  key_hash: string;
  created_at: Timestamp;
  last_used_at: Timestamp;
  /** Moves with each use, at most to `ends_at`. */
  expires_at: Timestamp;
  ends_at: Timestamp;
}

export interface SessionTables {
  login_nonces: LoginNoncesTable;
  sessions: SessionsTable;
}
