import pg from 'pg';
import { wallClock } from '../src/platform/units/time.ts';
import { createIds } from '../src/platform/units/ids.ts';
import type { Voter } from './electorate.ts';
import type { Load } from './load.ts';
import type { BenchStack } from './stack.ts';

interface BareVotes {
  readonly proposalId: string;
  readonly voters: readonly Voter[];
  readonly connections: number;
}

/** Inserts only the row of each vote, each by itself: no HTTP, no voting power, no anchored fact. */
export async function bareRows(
  { databaseUrl }: BenchStack,
  { proposalId, voters, connections }: BareVotes,
): Promise<Load> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: connections });
  // Opened before the clock runs, as the connections of HTTP clients cost next to nothing.
  const clients = await Promise.all(Array.from({ length: connections }, () => pool.connect()));
  const ids = createIds({ clock: wallClock, random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)) });
  const latencies: number[] = [];
  const queue = voters.values();
  const insertAll = async (client: pg.ClientBase) => {
    for (const { wallet, tokens, vote } of queue) {
      const began = performance.now();
      await client.query(
        `insert into votes (id, proposal_id, wallet, decision, amount, status, cast_at)
         values ($1, $2, $3, $4, $5, 'CAST', now())`,
        [ids.next(), proposalId, wallet, vote === 'yes' ? 'APPROVE' : 'REJECT', tokens * 1_000_000],
      );
      latencies.push(performance.now() - began);
    }
  };
  const began = performance.now();
  await Promise.all(clients.map(insertAll));
  const seconds = (performance.now() - began) / 1000;
  for (const client of clients) client.release();
  await pool.end();
  return { seconds, latencies };
}
