import { vaultWithTokens } from '../governance/vault-with-tokens.ts';
import { type ApiService, newWallet } from '../vaults/api-service.ts';
import { submitDirectly } from '../vault-lifecycle/direct-submission.ts';

interface StakeResponse {
  readonly data: { readonly transaction: { readonly hash: string; readonly unsignedTx: string } };
}

/** A stake in a block whose signatures the platform has not read yet; returns its hash. */
export async function stakeOnLedger(service: ApiService): Promise<string> {
  const wallet = newWallet();
  const vaultId = await vaultWithTokens(service, wallet);
  const staking = { walletAddress: wallet.address, amount: 100 };
  const { body } = await service.api.post<StakeResponse>(`/vaults/${vaultId}/stakes`, staking);
  await submitDirectly(service, wallet, body.data.transaction.unsignedTx);
  await service.ledger.mine(6);
  return body.data.transaction.hash;
}

export const hashOf = (n: number) => String(n).padStart(64, '0');

export const fanOut = { kind: 'fan_out', state: 'submitted', vault_id: null };

/** Records copies of a transaction that no block can have any more. */
export async function recordExpired(
  { sql }: ApiService,
  hash: string,
  [from, to]: readonly [number, number],
  changes: object = fanOut,
): Promise<void> {
  await sql.run`insert into chain_transactions
      select (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(),
      'hash', lpad(n::text, 64, '0'), 'ttl_slot', n, 'block_height', null, 'block_hash', null) || ${JSON.stringify(changes)}::jsonb)).*
      from chain_transactions t, generate_series(${from}::int, ${to}::int) n where hash = ${hash}`;
}
