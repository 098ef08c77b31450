import { until } from '../test/stack/until.ts';
import { startChildApi } from './child-api.ts';
import { propose, voteRequests, type Voter } from './electorate.ts';
import { type Load, sendAll } from './load.ts';
import type { OneByOneInput } from './one-by-one-api.ts';
import type { BenchStack } from './stack.ts';

/** Of the service's database pool. */
const DATABASE_CONNECTIONS = 10;

interface OneByOne {
  readonly vaultId: string;
  readonly proposer: string;
  readonly voters: readonly Voter[];
  readonly connections: number;
  readonly anchored: boolean;
}

/** The same routes and rows, but every vote in a database transaction of its own. */
export async function voteOneByOne(stack: BenchStack, { vaultId, proposer, ...options }: OneByOne): Promise<Load> {
  const { voters, connections, anchored } = options;
  const proposalId = await propose(stack, vaultId, proposer);
  await allAnchored(stack);
  const { databaseUrl, ledgerUrl } = stack;
  const input: OneByOneInput = { databaseUrl, ledgerUrl, connections: DATABASE_CONNECTIONS, anchored };
  await using other = await startChildApi('./one-by-one-api.ts', input);
  return await sendAll(voteRequests(proposalId, voters), { ...target(stack), url: other.url, connections });
}

/** Waits until every anchor is in a block, so that no measurement pays for the one before. */
export async function allAnchored({ sql }: BenchStack): Promise<void> {
  const waiting = async () => (await sql.query('select from anchor_batches where not confirmed limit 1')).rowCount;
  await until(async () => (await waiting()) === 0, { what: 'every anchor to be in a block', deadlineMs: 60_000 });
}

/** Where a load is sent to. */
export function target({ apiUrl, adminKey }: BenchStack) {
  return { url: apiUrl, adminKey };
}
