import pg from 'pg';
import type { BenchStack } from './stack.ts';

interface Deposit {
  readonly vaultId: string;
  readonly owner: string;
  readonly policyId: string;
  readonly assetName: string;
}

/** Rows that an asset is stored in: itself, its transaction with a change, an output, an event, an audit entry and a message. */
const ROWS = 7;

/**
 * Asks and stores what adding an asset cannot do without: whose key it is; the vault, what the wallet holds, the asset and its price, all at
 * once; and its rows in one transaction, all sent at once. No HTTP of its own, no checks, and nothing is built.
 */
export async function bareDeposits({ databaseUrl, ledgerUrl }: BenchStack) {
  const client = new pg.Client({ connectionString: databaseUrl, pipeline: true });
  await client.connect();
  await client.query(
    'create table if not exists bench_rows (id uuid primary key default gen_random_uuid(), body text)',
  );
  const ask = async (path: string) => {
    const response = await fetch(`${ledgerUrl}${path}`);
    await response.arrayBuffer();
  };
  return {
    async add({ vaultId, owner, policyId, assetName }: Deposit): Promise<void> {
      await client.query('select * from api_keys limit 1');
      const name = Buffer.from(assetName).toString('hex');
      await Promise.all([
        client.query('select * from vaults where id = $1', [vaultId]),
        ask(`/addresses/${owner}/utxos?count=100&page=1`),
        ask(`/assets/${policyId}${name}`),
        fetch(`${new URL(ledgerUrl).origin}/prices/${policyId}/${name}`),
      ]);
      await Promise.all([
        client.query('begin'),
        client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [vaultId]),
        client.query('insert into bench_rows (body) select repeat($1, 800) from generate_series(1, $2)', ['x', ROWS]),
        client.query('commit'),
      ]);
    },
    end: () => client.end(),
  };
}
