import { Client, Connection } from '@temporalio/client';
import { seedStakes } from '../test/governance/seed-stakes.ts';
import { settledVault } from '../test/governance/settled-vault.ts';
import { person } from '../test/vault-lifecycle/participants.ts';
import { advance } from '../test/vault-lifecycle/vault-requests.ts';
import { until } from '../test/stack/until.ts';
import { bareRows } from './bare-rows.ts';
import { propose, voteRequests, seedVoters, tallyOf, withIdempotencyKeys, type Voter } from './electorate.ts';
import { type Load, sendAll } from './load.ts';
import { machine, machineLoad } from './machine.ts';
import { quantiles } from './quantiles.ts';
import { type BenchStack, benchStack } from './stack.ts';
import { vitals } from './vitals.ts';
import { allAnchored, target, voteOneByOne } from './votes-one-by-one.ts';

/** Votes for each compared method. */
const COMPARED_VOTES = 10_000;
/** Of those, for the methods that vote one by one: they take five times as long. */
const ONE_BY_ONE_VOTES = 3000;
const CONNECTIONS = 50;
/** Enough connections that neither method waits for its callers. */
const MANY_CONNECTIONS = 200;

type Print = (line: string) => void;

interface ProposalRead {
  readonly data: {
    readonly status: string;
    readonly failureReason: string | null;
    readonly votingPhase: { readonly endTime: string };
    readonly votes: { readonly approve: number; readonly reject: number; readonly uniqueVoters: number };
  };
}

/** The cost of votes by group commit, by one transaction each and as bare rows; checks that all are counted. */
export async function votes(print: Print, count = '100000'): Promise<void> {
  await using stack = await benchStack();
  print(`${machine()} before the stack is loaded`);
  const vault = await settledVault(stack, { contributor: person(1), investor: person(2) });
  const { now } = await readClock(stack);
  const finalAt = new Date(now - 60_000);
  const proposer = person(3).address;
  await seedStakes(stack.sql, vault.id, [{ wallet: proposer, tokens: 60_000 }], finalAt);
  const voters = await seedVoters(stack.sql, vault.id, Number(count), finalAt);
  const others = await seedVoters(stack.sql, vault.id, COMPARED_VOTES, finalAt);

  await compare(stack, { vaultId: vault.id, proposer, voters: others }, print);

  const proposalId = await propose(stack, vault.id, proposer);
  const grouped = await voteInBatches(stack, proposalId, voters, print);
  print(`group commit, ${count} over HTTP by ${CONNECTIONS}: ${describeLoad(grouped)}`);
  await close(stack, proposalId, voters, print);
}

/** The same votes by each method, with the same number of connections. */
async function compare(
  stack: BenchStack,
  { vaultId, proposer, voters }: { vaultId: string; proposer: string; voters: readonly Voter[] },
  print: Print,
): Promise<void> {
  for (const connections of [CONNECTIONS, MANY_CONNECTIONS]) {
    const title = `${COMPARED_VOTES} over HTTP by ${connections}`;
    const bare = await bareRows(stack, {
      proposalId: await propose(stack, vaultId, proposer),
      voters,
      connections,
    });
    print(`bare rows, ${COMPARED_VOTES} single inserts by ${connections}: ${describeLoad(bare)}`);
    await allAnchored(stack);
    const oneByOne = { vaultId, proposer, voters: voters.slice(0, ONE_BY_ONE_VOTES), connections };
    const alone = await voteOneByOne(stack, { ...oneByOne, anchored: true });
    print(`a transaction each, ${ONE_BY_ONE_VOTES} over HTTP by ${connections}: ${describeLoad(alone)}`);
    const unanchored = await voteOneByOne(stack, { ...oneByOne, anchored: false });
    print(`the same without anchors: ${describeLoad(unanchored)}`);
    const proposalId = await propose(stack, vaultId, proposer);
    await allAnchored(stack);
    const grouped = await sendAll(voteRequests(proposalId, voters), { ...target(stack), connections });
    print(`group commit, ${title}: ${describeLoad(grouped)}`);
    print(`group commit / a transaction each, by ${connections}: ${ratio(grouped, alone)}`);
    print(`group commit / the same without anchors, by ${connections}: ${ratio(grouped, unanchored)}`);
    print(`group commit / bare rows, by ${connections}: ${ratio(grouped, bare)}`);
    const another = await propose(stack, vaultId, proposer);
    await allAnchored(stack);
    const keyed = await sendAll(withIdempotencyKeys(voteRequests(another, voters)), { ...target(stack), connections });
    print(`with idempotency keys, ${title}: ${describeLoad(keyed)}`);
    print(`with idempotency keys / without, by ${connections}: ${ratio(keyed, grouped)}`);
  }
}

function describeLoad(load: Load): string {
  return `${rate(load).toFixed(0)} votes/s, ${quantiles(load.latencies)}; ${machineLoad()}`;
}

function ratio(one: Load, other: Load): string {
  return (rate(one) / rate(other)).toFixed(2);
}

function rate({ seconds, latencies }: Load): number {
  return latencies.length / seconds;
}

async function readClock({ root }: BenchStack): Promise<{ now: number }> {
  const { body } = await root.get<{ now: string }>('/dev/clock');
  return { now: Date.parse(body.now) };
}

async function voteInBatches(
  stack: BenchStack,
  proposalId: string,
  voters: readonly Voter[],
  print: Print,
): Promise<Load> {
  const before = await vitals(stack.metricsUrl);
  const load = await sendAll(voteRequests(proposalId, voters), { ...target(stack), connections: CONNECTIONS });
  const after = await vitals(stack.metricsUrl);
  const growth = after.rssMb - before.rssMb;
  print(
    `api RSS ${before.rssMb.toFixed(0)} MB before, ${after.rssMb.toFixed(0)} MB after (${growth.toFixed(0)} MB more); ` +
      `CPU ${(((after.cpuSeconds - before.cpuSeconds) * 1000) / voters.length).toFixed(2)} ms a vote`,
  );
  const { rows } = await stack.sql.query<{ batches: number; facts: number }>(
    'select count(*)::int as batches, avg(facts)::float8 as facts from anchor_batches where facts > 1',
  );
  print(`${rows[0]?.batches ?? 0} anchors, ${rows[0]?.facts.toFixed(1) ?? '0'} votes each on average`);
  return load;
}

/** Ends the vote and throws unless every vote was counted. */
async function close(stack: BenchStack, proposalId: string, voters: readonly Voter[], print: Print): Promise<void> {
  const wanted = { ...tallyOf(voters), uniqueVoters: voters.length };
  const read = async () => (await stack.api.get<ProposalRead>(`/proposals/${proposalId}`)).body.data;
  const open = await read();
  requireTally(open, wanted);
  const confirmed = await timed(() =>
    until(
      async () => {
        const { rows } = await stack.sql.query<{ count: number }>(
          "select count(*)::int from votes where proposal_id = $1 and status = 'CONFIRMED'",
          [proposalId],
        );
        return rows[0]?.count === voters.length;
      },
      { what: 'every vote to be in a block', deadlineMs: 120_000 },
    ),
  );
  print(`all ${voters.length} votes counted; the last one was in a block ${confirmed.toFixed(1)} s later`);

  const { now } = await readClock(stack);
  const closing = await timed(async () => {
    await advance(stack, Math.ceil((Date.parse(open.votingPhase.endTime) - now) / 1000) + 1);
    await until(
      async () => {
        const { rows } = await stack.sql.query('select from proposals where id = $1 and released_at is not null', [
          proposalId,
        ]);
        return rows.length === 1;
      },
      { what: 'the vote to be closed and every stake to be free', deadlineMs: 120_000 },
    );
  });
  const closed = await read();
  requireTally(closed, wanted);
  const connection = await Connection.connect({ address: stack.temporalAddress });
  const handle = new Client({ connection }).workflow.getHandle(`proposal-${proposalId}`);
  const { historyLength, status } = await handle.describe();
  await connection.close();
  print(`closed ${closed.status} (${closed.failureReason ?? ''}) and all stakes released in ${closing.toFixed(1)} s`);
  print(`proposal workflow: ${status.name}, ${historyLength} events in its history`);
}

function requireTally({ votes: tally }: ProposalRead['data'], wanted: ProposalRead['data']['votes']): void {
  const { approve, reject, uniqueVoters } = tally;
  const found = { approve, reject, uniqueVoters };
  if (JSON.stringify(found) !== JSON.stringify(wanted)) {
    throw new Error(`the tally is ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}
