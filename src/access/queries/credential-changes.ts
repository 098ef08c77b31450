import { sql } from 'kysely';
import type { Transaction } from '../../platform/database/database.ts';

/** What a process may no longer believe about who calls: an API key, a session, or all sessions of a wallet. */
export type CredentialChange =
  | { readonly kind: 'key'; readonly id: string }
  | { readonly kind: 'session'; readonly id: string }
  | { readonly kind: 'wallet'; readonly wallet: string };

export const credentialChannel = 'credential_changes';

/** Tells every process of the change when the transaction commits. */
export async function announceCredentialChange(tx: Transaction, change: CredentialChange): Promise<void> {
  await sql`select pg_notify(${credentialChannel}, ${JSON.stringify(change)})`.execute(tx);
}

export function parseCredentialChange(payload: string): CredentialChange {
  return JSON.parse(payload) as CredentialChange;
}
