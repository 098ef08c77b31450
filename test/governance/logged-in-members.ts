import { signingWallet } from '../http/signing-wallet.ts';
import type { ApiService } from '../vaults/api-service.ts';
import { logIn } from '../vaults/logged-in-wallet.ts';
import { lockedVault } from './staked-vault.ts';
import { auditedChanges } from '../stack/audited-changes.ts';

/** A locked vault with one logged-in wallet for each staked amount, and one more that has staked nothing. */
export async function loggedInMembers(service: ApiService, tokens: readonly number[]) {
  const wallets = [...tokens, 0].map(() => signingWallet());
  const { vaultId } = await lockedVault(service, tokens, (number) => wallets[number]?.address ?? '');
  const sessions = await Promise.all(wallets.map((wallet) => logIn(service, wallet)));
  return { vaultId, people: wallets.map(({ address }, number) => ({ address, session: sessions[number]! })) };
}

/** Everything that a refused request could have changed. */
export async function governanceState({ sql }: ApiService): Promise<unknown> {
  const { rows: counted } = await sql.query(
    `select (select count(*) from proposals) as proposals, (select count(*) from endorsements) as endorsements,
      (select jsonb_agg(jsonb_build_array(id, status) order by id) from votes) as votes,
      (select jsonb_agg(jsonb_build_array(id, used_power) order by id) from stakes) as stakes,
      (select count(*) from anchor_facts) as facts, (select count(*) from outbox) as events,
      ${auditedChanges} as audited, (select count(*) from idempotency_keys) as keys`,
  );
  return counted[0];
}
