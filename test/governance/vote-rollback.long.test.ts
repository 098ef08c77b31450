import { beforeAll, expect, test } from '@jest/globals';
import { waitUntilAllConfirmed, runAnchorCheck, readProof } from '../anchoring/anchor-proof.ts';
import { advanceClocks } from '../anchoring/advance-clocks.ts';
import { person } from '../vault-lifecycle/participants.ts';
import { fileStack } from '../stack/file-stack.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { voteBody, propose } from './staked-vault.ts';
import { seedStakes, readStakeUsage } from './seed-stakes.ts';
import { settledVault } from './settled-vault.ts';

interface VoteRead {
  readonly status: string;
  readonly castAt: string;
  readonly confirmedAt?: string;
  readonly confirmationTx?: string;
}
interface TransactionRead {
  readonly status: string;
  readonly blockHeight: number | null;
  readonly replacedBy: string | null;
}

const [alice, bob] = [person(71).address, person(72).address];

const stackOfFile = fileStack();
/** A settled vault with two stakers. */
let vaultId: string;

beforeAll(async () => {
  const stack = stackOfFile();
  ({ id: vaultId } = await settledVault(stack, { contributor: person(71), investor: person(72) }));
  const stakes = [
    { wallet: alice, tokens: 600_000 },
    { wallet: bob, tokens: 300_000 },
  ];
  await seedStakes(stack.sql, vaultId, stakes, new Date());
});

async function cast({ api }: TestStack, proposalId: string, wallet: string, tokens: number, decision: string) {
  const answer = await api.post<{ vote_id: string; transaction: { tx_hash: string } }>(
    `/proposals/${proposalId}/votes`,
    voteBody(wallet, tokens, decision),
  );
  expect(answer).toMatchObject({ status: 200, body: { transaction: { status: 'pending' } } });
  return { id: answer.body.vote_id, hash: answer.body.transaction.tx_hash };
}

const readVote = async ({ api }: TestStack, id: string) =>
  (await api.get<{ data: VoteRead }>(`/votes/${id}`)).body.data;
const readTransaction = async ({ api }: TestStack, hash: string) =>
  (await api.get<{ data: TransactionRead }>(`/transactions/${hash}`)).body.data;

const waitForStatus = (stack: TestStack, id: string, status: string) =>
  until(async () => (await readVote(stack, id)).status === status, {
    what: `a vote to be ${status}`,
  });

/** The published vote events of an anchor transaction, in order. */
async function publishedEvents({ sql }: TestStack, hash: string): Promise<string[]> {
  const rows = await sql.run<{ line: string }>`select concat_ws(' ', type, data ->> 'votes') as line from outbox
      where transaction_hash = ${hash} and type like 'VOTE%' and seq is not null order by seq`;
  return rows.map(({ line }) => line);
}

async function countAnchors({ ledger }: TestStack, hash: string): Promise<number> {
  const listed = await ledger.query<{ tx_hash: string }[]>('/metadata/txs/labels/868483?count=100');
  return (listed ?? []).filter(({ tx_hash: other }) => other === hash).length;
}

test('votes whose anchor is rolled back are CAST again and still count, and are CONFIRMED again by the same hash', async () => {
  const stack = stackOfFile();
  const proposalId = await propose(stack, vaultId, alice);
  const replaced = await cast(stack, proposalId, alice, 10_000, 'no');
  await waitForStatus(stack, replaced.id, 'CONFIRMED');
  const votes = await Promise.all([
    cast(stack, proposalId, alice, 500_000, 'yes'),
    cast(stack, proposalId, bob, 300_000, 'no'),
  ]);
  for (const { id } of votes) await waitForStatus(stack, id, 'CONFIRMED');

  const usageAndTally = async () => ({
    used: await readStakeUsage(stack.sql, vaultId),
    tally: (await stack.api.get<{ data: { votes: object } }>(`/proposals/${proposalId}`)).body.data.votes,
  });
  const before = await usageAndTally();
  await stack.ledger.faults({ submit429: 1_000_000 });
  const { blockHeight } = await readTransaction(stack, replaced.hash);
  await stack.ledger.rollbackFrom(blockHeight!);
  for (const { id } of votes) await waitForStatus(stack, id, 'CAST');
  for (const { id } of votes) {
    expect(await readVote(stack, id)).not.toHaveProperty('confirmedAt');
    expect(await readVote(stack, id)).not.toHaveProperty('confirmationTx');
    expect(await readProof(stack, id)).toMatchObject({ status: 'submitted', blockHeight: null, replaced: [] });
  }
  expect(await readVote(stack, replaced.id)).toMatchObject({ status: 'REVOKED' });
  expect(await usageAndTally()).toEqual(before);

  await stack.ledger.faults({});
  for (const { id } of votes) await waitForStatus(stack, id, 'CONFIRMED');
  for (const { id, hash } of votes) {
    expect(await readVote(stack, id)).toMatchObject({ confirmationTx: hash });
    expect(await runAnchorCheck(stack, id)).toMatch(`on the ledger, in ${hash}`);
  }
  expect(await readVote(stack, replaced.id)).toMatchObject({ status: 'REVOKED' });
  await waitUntilAllConfirmed(stack);
  for (const { hash } of [replaced, ...votes]) {
    expect(await countAnchors(stack, hash)).toBe(1);
    const together = votes.filter((vote) => vote.hash === hash).length;
    const expected =
      hash === replaced.hash
        ? ['VOTE_CAST', 'VOTES_CONFIRMED 1']
        : [
            ...Array<string>(together).fill('VOTE_CAST'),
            `VOTES_CONFIRMED ${together}`,
            `VOTES_ROLLED_BACK ${together}`,
            `VOTES_CONFIRMED ${together}`,
          ];
    await until(async () => (await publishedEvents(stack, hash)).length >= expected.length, {
      what: 'the events to be numbered',
    });
    expect(await publishedEvents(stack, hash)).toEqual(expected);
  }
});

test('a vote whose anchor was replaced twice is confirmed by the last one, and every old hash names that one', async () => {
  const stack = stackOfFile();
  const proposalId = await propose(stack, vaultId, alice);
  await waitUntilAllConfirmed(stack);

  // The ledger accepts every anchor and drops it.
  await stack.ledger.faults({ drop: 1_000_000 });
  const { id, hash } = await cast(stack, proposalId, alice, 500_000, 'yes');
  const replacing = async (old: string) => {
    await advanceClocks(stack, 3 * 3600);
    const found = await until(
      async () => {
        const { txHash } = await readProof(stack, id);
        return txHash !== old && txHash;
      },
      { what: 'the anchor to be replaced' },
    );
    expect(await readVote(stack, id)).toMatchObject({ status: 'CAST' });
    return found;
  };
  const second = await replacing(hash);
  const third = await replacing(second);
  await stack.ledger.faults({});
  await waitForStatus(stack, id, 'CONFIRMED');

  expect(await readVote(stack, id)).toMatchObject({ confirmationTx: third });
  expect(await readProof(stack, id)).toMatchObject({ txHash: third, replaced: [hash, second] });
  for (const old of [hash, second]) {
    expect(await readTransaction(stack, old)).toMatchObject({ replacedBy: third, blockHeight: null });
    expect(await countAnchors(stack, old)).toBe(0);
  }
  expect(await readTransaction(stack, third)).toHaveProperty('replacedBy', null);
  expect(await runAnchorCheck(stack, id)).toMatch(`on the ledger, in ${third}`);
});
