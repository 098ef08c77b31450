import { type RawBuilder, sql } from 'kysely';

/** How long after its end the addresses of a vault, or of a stake, are still watched: 30 days. */
export const WATCHED_AFTER_END_SECONDS = 30 * 24 * 3600;

/**
 * Whether the ledger is still asked for what lies at the addresses of a row of `vaults`: until 30 days after its end, and after that while
 * somebody can still take something out of it. `at` is a timestamp.
 */
export function isWatched(at: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(vaults.terminated_at is null
    or vaults.terminated_at > ${at} - make_interval(secs => ${WATCHED_AFTER_END_SECONDS})
    or exists (select from stakes s where s.vault_id = vaults.id and s.status <> 'RELEASED')
    or exists (select from assets a where a.vault_id = vaults.id and a.status = 'LOCKED')
    or exists (select from unsolicited_outputs u where u.vault_id = vaults.id and u.gone_at is null)
    or exists (select from terminations t where t.vault_id = vaults.id and t.pot_lovelace > 0 and t.circulating > 0))`;
}
