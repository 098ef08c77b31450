import { beforeAll, expect, test } from '@jest/globals';
import { createVoteActivities } from '../../activities/votes.ts';
import { waitUntilAllConfirmed, runAnchorCheck, readProof, runVoteRecount } from '../anchoring/anchor-proof.ts';
import { newFactId, openBatcher } from '../anchoring/anchor-batcher.ts';
import { advanceClocks } from '../anchoring/advance-clocks.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { person } from '../vault-lifecycle/participants.ts';
import { advance } from '../vault-lifecycle/vault-requests.ts';
import { fileStack } from '../stack/file-stack.ts';
import { untilFollowed } from '../stack/followed-height.ts';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { voteBody, propose } from './staked-vault.ts';
import { seedStakes, readStakeUsage } from './seed-stakes.ts';
import { settledVault } from './settled-vault.ts';

interface Closing {
  readonly votesRoot: string | null;
  readonly transactionHash: string;
  readonly proof: string;
}
interface ProposalResponse {
  readonly data: {
    readonly status: string;
    readonly failureReason: string | null;
    readonly closing: Closing | null;
    readonly eligiblePowerBaseUnits: string;
  };
}

const [alice, bob, carol] = [person(81).address, person(82).address, person(83).address];
const DAY = 86_400;
const untilClosed = 3 * DAY + 3600;

/** A settled vault with three stakers. */
async function vaultWithStakers(stack: TestStack): Promise<string> {
  const { id } = await settledVault(stack, { contributor: person(81), investor: person(82) });
  const stakes = [
    { wallet: alice, tokens: 500_000 },
    { wallet: bob, tokens: 300_000 },
    { wallet: carol, tokens: 10_000 },
  ];
  await seedStakes(stack.sql, id, stakes, new Date());
  return id;
}

const stackOfFile = fileStack();
/** The vault of the tests that share a stack. */
let vaultId: string;

beforeAll(async () => {
  vaultId = await vaultWithStakers(stackOfFile());
});

async function vote({ api }: TestStack, proposalId: string, wallet: string, tokens: number, decision: string) {
  const answer = await api.post<{ vote_id: string }>(
    `/proposals/${proposalId}/votes`,
    voteBody(wallet, tokens, decision),
  );
  expect(answer).toMatchObject({ status: 200 });
  return answer.body.vote_id;
}

const read = async ({ api }: TestStack, id: string) => (await api.get<ProposalResponse>(`/proposals/${id}`)).body.data;
const factIdOf = ({ proof }: Closing) => proof.split('/')[4] ?? '';

async function closingOf(stack: TestStack, id: string): Promise<Closing & { factId: string }> {
  const { closing } = await read(stack, id);
  if (!closing) throw new Error(`no tally is anchored for proposal ${id}`);
  return { ...closing, factId: factIdOf(closing) };
}

test('when voting closes, its tally and the Merkle root of all live votes are anchored, and anyone can recount them', async () => {
  const stack = stackOfFile();
  const [counted, withOneVote, withoutVotes] = [
    await propose(stack, vaultId, alice),
    await propose(stack, vaultId, alice),
    await propose(stack, vaultId, alice),
  ];
  const draft = await propose(stack, vaultId, carol);
  const replaced = await vote(stack, counted, alice, 100_000, 'no');
  const live = [
    await vote(stack, counted, alice, 450_000, 'yes'),
    await vote(stack, counted, bob, 299_999, 'no'),
    await vote(stack, counted, carol, 1, 'yes'),
  ];
  const revoked = await vote(stack, withOneVote, bob, 7, 'yes');
  await stack.api.del(`/votes/${revoked}`);
  const singleVote = await vote(stack, withOneVote, carol, 10_000, 'no');
  expect(await read(stack, counted)).toMatchObject({ status: 'ACTIVE', closing: null });
  await stack.api.del(`/proposals/${draft}`);

  // The advance ends only when every anchor is on the ledger.
  await advance(stack, untilClosed);
  const { factId, votesRoot, transactionHash } = await closingOf(stack, counted);
  const proof = await readProof(stack, factId);
  expect(proof).toMatchObject({ txHash: transactionHash, replaced: [] });
  expect(['confirmed', 'final']).toContain(proof.status);
  expect(JSON.parse(proof.fact)).toEqual({
    kind: 'proposal_closed',
    proposalId: counted,
    vaultId,
    outcome: 'passed',
    tally: { approve: '450001000000', reject: '299999000000', voters: 3 },
    circulating: '950000000000',
    quorumBase: (await read(stack, counted)).eligiblePowerBaseUnits,
    votes: 3,
    votesRoot,
  });
  expect(await runAnchorCheck(stack, factId)).toMatch(`on the ledger, in ${transactionHash}`);
  for (const id of live) {
    const printed = await runVoteRecount(stack, counted, id);
    expect(printed).toMatch(`counted right, in ${transactionHash}`);
    expect(printed).toMatch(`\ncounted: ${id}`);
  }
  expect(await runVoteRecount(stack, counted, replaced)).toMatch(`\nNOT counted: ${replaced}`);

  const single = await closingOf(stack, withOneVote);
  const { body } = await stack.api.get<{ data: { leaf: string } }>(`/anchors/${singleVote}/proof`);
  expect(single.votesRoot).toBe(body.data.leaf);
  expect(await runVoteRecount(stack, withOneVote, singleVote)).toMatch(/^counted right/);
  const empty = await closingOf(stack, withoutVotes);
  expect(empty.votesRoot).toBeNull();
  expect(await runVoteRecount(stack, withoutVotes, singleVote)).toMatch(/^counted right.*\nNOT counted/s);
  expect(await read(stack, draft)).toMatchObject({ failureReason: 'cancelled', closing: null });

  // A fact whose outcome does not follow from its tally is detected.
  expect(await read(stack, withOneVote)).toMatchObject({ failureReason: 'quorum_not_reached' });

  // A vote that is changed in the database afterwards is detected.
  await stack.sql.run`update anchor_facts set fact = replace(fact, '299999000000', '299998000000')
      where id = ${live[1]}`;
  expect(await runVoteRecount(stack, counted, singleVote)).toMatch(/^NOT what is on the ledger/);
});

test('the tally is anchored also when a proposal is cancelled after voting ended while no worker was running to close it', async () => {
  const stack = stackOfFile();
  const proposalId = await propose(stack, vaultId, alice);
  await vote(stack, proposalId, alice, 450_000, 'yes');
  await waitUntilAllConfirmed(stack);
  await stack.kill('worker');
  await advanceClocks(stack, untilClosed);
  expect(await stack.api.del(`/proposals/${proposalId}`)).toMatchObject({
    status: 200,
    body: { data: { failureReason: 'cancelled' } },
  });
  await stack.restart('worker');
  await advance(stack, 60);
  const { factId } = await closingOf(stack, proposalId);
  expect(JSON.parse((await readProof(stack, factId)).fact)).toMatchObject({
    outcome: 'passed',
    tally: { approve: '450000000000', reject: '0' },
  });
});

test('the anchor of a tally is confirmed again with the same hash after a rollback, and with a new hash once it has expired', async () => {
  const stack = stackOfFile();
  const proposalId = await propose(stack, vaultId, alice);
  await vote(stack, proposalId, alice, 450_000, 'yes');
  await advance(stack, untilClosed);
  const { factId, transactionHash, votesRoot } = await closingOf(stack, proposalId);
  const { blockHeight } = await readProof(stack, factId);
  const anchorIs = (status: string) => ({ what: `the anchor to be ${status}` });

  await stack.ledger.faults({ drop: 1_000_000 });
  await stack.ledger.rollbackFrom(blockHeight ?? 0);
  await until(async () => (await readProof(stack, factId)).status === 'submitted', anchorIs('submitted'));
  expect(await closingOf(stack, proposalId)).toMatchObject({ transactionHash, votesRoot });

  await advanceClocks(stack, 3 * 3600);
  await until(async () => (await readProof(stack, factId)).txHash !== transactionHash, anchorIs('replaced'));
  await stack.ledger.faults({});
  await until(async () => (await readProof(stack, factId)).blockHeight !== null, anchorIs('in a block'));
  const second = await closingOf(stack, proposalId);
  expect(await readProof(stack, factId)).toMatchObject({ txHash: second.transactionHash, replaced: [transactionHash] });
  expect(second.votesRoot).toBe(votesRoot);
  expect(await runVoteRecount(stack, proposalId, factId)).toMatch(`counted right, in ${second.transactionHash}`);
});

test('while the ledger is down, voting closes and stakes are released; the tally is anchored exactly once when it is back', async () => {
  // A stack of its own, on which no worker has held an anchor chain: with one it would anchor without asking the ledger.
  await using stack = await testStack();
  const vaultId = await vaultWithStakers(stack);
  const proposalId = await propose(stack, vaultId, alice);
  await vote(stack, proposalId, alice, 10, 'no');
  await advance(stack, DAY);
  // Otherwise the worker could take over the anchor chain of an api that was silent for 30 s and anchor without asking the ledger.
  await stack.sql.run`update anchor_chains set held_until = held_until + interval '1 hour'`;

  // The service closes a vote only after it has read a block from after its start; that block may be from the same second.
  const { height } = await stack.ledger.mine(1);
  await untilFollowed(stack, height);
  await stack.ledger.faults({ all: 'down' });
  const advancing = advance(stack, untilClosed - DAY);
  await until(async () => (await readStakeUsage(stack.sql, vaultId))[alice]?.used === 0, {
    what: 'the stakes to be released',
  });
  expect(await read(stack, proposalId)).toMatchObject({
    status: 'FAILED',
    failureReason: 'quorum_not_reached',
    closing: null,
  });
  await stack.ledger.faults({});
  await advancing;
  const { factId } = await closingOf(stack, proposalId);
  expect(await runVoteRecount(stack, proposalId, factId)).toMatch(/^counted right/);

  // A worker that receives SIGTERM releases its anchor chain for the next process.
  await stack.kill('worker', 'SIGTERM');
  const anchorChains = async () =>
    await stack.sql.run<{ free: boolean }>`select holder is null as free from anchor_chains`;
  expect((await anchorChains()).filter(({ free }) => free)).toHaveLength(1);
  const before = (await anchorChains()).length;

  await using anchors = openBatcher({ ...stack, ledgerUrl: stack.ledger.url, minIntervalMs: 0 });
  const db = openDatabase(stack.databaseUrl, () => undefined, 2);
  const activities = createVoteActivities({ db, anchors, ids: { next: newFactId } });
  await activities.anchorTally({ proposalId });
  await stack.sql.run`update proposals set closing_fact_id = null, votes_root = null where id = ${proposalId}`;
  await Promise.all(Array.from({ length: 4 }, () => activities.anchorTally({ proposalId })));
  await db.destroy();
  const rows = await stack.sql.run<{ id: string }>`select id from anchor_facts
      where fact::jsonb ->> 'kind' = 'proposal_closed' and fact::jsonb ->> 'proposalId' = ${proposalId}`;
  expect(rows).toHaveLength(2);
  expect(await anchorChains()).toHaveLength(before);
});
