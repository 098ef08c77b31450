import { randomUUID } from 'node:crypto';
import type { ApiService } from '../vaults/api-service.ts';

/** Records a final transaction of the platform that the ledger has already. */
export async function recordTransaction(
  { sql }: Pick<ApiService, 'sql'>,
  vaultId: string,
  hash: string,
  kind: string,
): Promise<void> {
  await sql.run`insert into chain_transactions (id, kind, vault_id, owner_workflow, signer, hash, unsigned_cbor,
       inputs, outputs,
       required_signers, fee, ttl_slot, expires_at, state, created_at, updated_at)
     values (${randomUUID()}, ${kind}, ${vaultId}, 'test', 'platform', ${hash}, '', '[]', '[]', '{}', 0, 0, now(), 'final', now(), now())`;
}
