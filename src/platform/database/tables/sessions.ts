import type { Timestamp } from './columns.ts';

export interface LoginNoncesTable {
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
