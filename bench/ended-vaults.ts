import { copyFirst } from '../test/store/listed-rows.ts';
import type { BenchStack } from './stack.ts';

/** Copies the vault with its windows, and its transaction. */
export async function addEndedVaults({ sql }: Pick<BenchStack, 'sql'>, count: number): Promise<void> {
  const ended = `'created_at', now() - interval '400 days' + n * interval '1 s', 'updated_at', now() - interval '60 days'`;
  await copyFirst(
    sql,
    'vaults',
    `'id', gen_random_uuid(), 'name', 'Vault ' || n, 'contract_address', 'contract ' || n, 'policy_id', 'policy ' || n,
     'status', 'TERMINATED', 'termination_reason', 'no_assets', 'terminated_at', now() - interval '60 days', ${ended}`,
    [count],
  );
  await sql.query(`insert into windows select copy.* from windows as one, vaults,
    jsonb_populate_record(one, jsonb_build_object('vault_id', vaults.id, 'status', 'FAILED')) as copy
    where vaults.status = 'TERMINATED'`);
  await sql.query('analyze vaults');
  await copyFirst(
    sql,
    'chain_transactions',
    `'id', gen_random_uuid(), 'hash', 'hash ' || n, 'vault_id', (select id from vaults where name = 'Vault ' || (n / 10 + 1)),
     'kind', 'add_asset', 'state', 'final', 'owner_workflow', 'tx-' || n, ${ended}`,
    [count * 10 - 1],
  );
  await sql.query('analyze');
}
