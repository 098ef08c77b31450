import { beforeAll, expect, test } from '@jest/globals';
import { killWorkerSending } from '../vault-lifecycle/kill-worker.ts';
import { person } from '../vault-lifecycle/participants.ts';
import { advance } from '../vault-lifecycle/vault-requests.ts';
import { fileStack } from '../stack/file-stack.ts';
import { holdLock } from '../stack/hold-locks.ts';
import type { TestStack } from '../stack/test-stack.ts';
import {
  countRows,
  expectEachAnchorOnce,
  killApi,
  killMoments,
  slowLedger,
  slowRefusingLedger,
} from './kill-during-commit.ts';
import { voteBody, proposalBody, propose } from './staked-vault.ts';
import { seedStakes, readStakeUsage } from './seed-stakes.ts';
import { settledVault } from './settled-vault.ts';

interface ProposalResponse {
  readonly proposal_id: string;
  readonly transaction: { readonly tx_hash: string };
}
interface VoteResponse {
  readonly vote_id: string;
  readonly transaction: { readonly tx_hash: string };
}

const DAY = 86_400;
const proposer = person(91).address;
const voters = Array.from({ length: 24 }, (_, number) => person(400 + number).address);
const tokensOf = (number: number) => 1000 + number;

const stackOfFile = fileStack({ apiProcess: true });
/** A settled vault in which the proposer and many voters have staked; each test has proposals of its own. */
let vaultId: string;

beforeAll(async () => {
  const stack = stackOfFile();
  ({ id: vaultId } = await settledVault(stack, { contributor: person(91), investor: person(92) }));
  const seeds = voters.map((wallet, number) => ({ wallet, tokens: tokensOf(number) }));
  await seedStakes(stack.sql, vaultId, [{ wallet: proposer, tokens: 100_000 }, ...seeds], new Date());
});

const read = async ({ api }: TestStack, id: string) => (await api.get<{ data: object }>(`/proposals/${id}`)).body.data;
const keyed = (key: string) => ({ headers: { 'idempotency-key': key.replaceAll(' ', '-') } });

test('a proposal is created once and runs to its end although the api is killed while it creates it and the request is repeated', async () => {
  const stack = stackOfFile();
  await propose(stack, vaultId, proposer);
  const proposals = () => countRows(stack, 'proposals where vault_id = $1', [vaultId]);
  const create = (key: string) =>
    stack.api.post<ProposalResponse>(`/vaults/${vaultId}/proposals`, proposalBody(proposer), keyed(key));

  for (const [before, moment] of [1, 2].map((number, position) => [number, killMoments[position]!] as const)) {
    // The killed api cannot start the workflow it recorded: the message becomes due only after 3 s.
    const created = 'alter table workflow_notices alter created_at set default clock_timestamp()';
    await stack.sql.query(`${created} + interval '3 seconds'`);
    await killApi(
      stack,
      moment,
      () => [create(moment)],
      async () => (await proposals()) > before,
    );
    await stack.sql.query(created);
    expect(await proposals()).toBe(moment === 'before its commit' ? before : before + 1);
    const [first, second] = [await create(moment), await create(moment)];
    expect(first.status).toBe(201);
    expect(second.body).toEqual(first.body);
    expect(await proposals()).toBe(before + 1);
  }

  await advance(stack, 3 * DAY + 3600);
  const rows = await stack.sql.run<{ line: string }>`select concat_ws(' ', status, failure_reason,
      released_at is not null) as line from proposals`;
  expect(rows.map(({ line }) => line)).toEqual(Array(3).fill('FAILED quorum_not_reached t'));
  await expectEachAnchorOnce(stack);
});

test.each(killMoments)(
  'every vote that was answered counts, and a repeated one counts once, although the api is killed %s',
  async (moment) => {
    const stack = stackOfFile();
    const proposalId = await propose(stack, vaultId, proposer);
    const hasKey = (number: number) => number % 2 === 0;
    const vote = (number: number) =>
      stack.api.post<VoteResponse>(
        `/proposals/${proposalId}/votes`,
        voteBody(voters[number] ?? '', tokensOf(number), number % 3 === 0 ? 'no' : 'yes'),
        hasKey(number) ? keyed(`vote ${number} ${moment}`) : {},
      );
    const stored = () => countRows(stack, 'votes where proposal_id = $1', [proposalId]);
    const numbers = voters.map((_, number) => number);
    const first = await killApi(
      stack,
      moment,
      () => numbers.map(vote),
      async () => (await stored()) > 0,
    );
    const answers = first.flatMap((answer, number) => (answer ? { number, answer } : []));
    expect(answers.map(({ answer }) => answer.status)).toEqual(answers.map(() => 200));
    const storedAtKill = await stored();
    expect(storedAtKill).toBeGreaterThanOrEqual(moment === 'before its commit' ? 0 : 1);

    const again = await Promise.all(
      numbers.filter(hasKey).map(async (number) => ({ number, answer: await vote(number) })),
    );
    const repeated = answers.filter(({ number }) => hasKey(number));
    for (const { number, answer } of repeated) {
      expect(again.find((other) => other.number === number)?.answer.body).toEqual(answer.body);
    }
    const rows = await stack.sql.run<{ id: string; wallet: string; decision: string; tokens: number }>`select id,
        wallet, decision, (amount / 1000000)::int as tokens from votes where proposal_id = ${proposalId}`;
    expect(new Set(rows.map(({ wallet }) => wallet)).size).toBe(rows.length);
    const counted = new Set(rows.map(({ id }) => id));
    const answeredIds = [...answers, ...again].map(({ answer }) => answer.body.vote_id);
    expect(answeredIds.filter((id) => !counted.has(id))).toEqual([]);
    // Only votes of the batch that was committed at the kill may count without an answer.
    expect(counted.size - new Set(answeredIds).size).toBeLessThanOrEqual(storedAtKill);

    const sum = (decision: string) =>
      rows.reduce((total, one) => total + (one.decision === decision ? one.tokens : 0), 0);
    const votes = { approve: sum('APPROVE'), reject: sum('REJECT'), uniqueVoters: rows.length };
    expect(await read(stack, proposalId)).toMatchObject({ votes });
    const used = await readStakeUsage(stack.sql, vaultId);
    for (const { wallet, tokens } of rows) expect(used[wallet]).toEqual({ status: 'LOCKED', used: tokens });
    await advance(stack, 3 * DAY + 60);
    expect(await read(stack, proposalId)).toMatchObject({ votes, overdueSeconds: 0 });
    await expectEachAnchorOnce(stack);
  },
);

test('a proposal ends the same way and sends each transaction once although the worker is killed at each step', async () => {
  const stack = stackOfFile();
  const create = async () => {
    const { status, body } = await stack.api.post<ProposalResponse>(
      `/vaults/${vaultId}/proposals`,
      proposalBody(proposer),
    );
    expect({ status, body }).toMatchObject({ status: 201 });
    return { id: body.proposal_id, hash: body.transaction.tx_hash };
  };
  const vote = async (id: string, wallet: string, tokens: number, decision: string) => {
    const { status, body } = await stack.api.post<VoteResponse>(
      `/proposals/${id}/votes`,
      voteBody(wallet, tokens, decision),
    );
    expect({ status, body }).toMatchObject({ status: 200 });
    return body.transaction.tx_hash;
  };
  await stack.ledger.faults(slowRefusingLedger);
  const passing = await create();
  await killWorkerSending(stack, passing.hash, 'before submission');
  await stack.ledger.faults(slowLedger);
  await killWorkerSending(stack, await vote(passing.id, proposer, 100_000, 'yes'), 'after acceptance');
  const failing = await create();
  await killWorkerSending(stack, failing.hash, 'after acceptance');
  await stack.ledger.faults(slowRefusingLedger);
  await killWorkerSending(stack, await vote(failing.id, proposer, 100_000, 'no'), 'before submission');
  await stack.ledger.faults({});

  const lock = (id: string) =>
    [`select pg_advisory_xact_lock_shared(hashtextextended('proposal:' || $1, 0))`, [id]] as const;
  const stakes = ['select 1 from stakes where vault_id = $1 for update', [vaultId]] as const;
  /** Kills the worker while it waits for the held lock in the middle of an activity. */
  const killWhileWaiting = async (gate: Awaited<ReturnType<typeof holdLock>>) => {
    await using held = gate;
    await held.reached();
    await stack.kill('worker');
  };
  const gates = [await holdLock(stack, ...lock(passing.id)), await holdLock(stack, ...stakes)];
  const closed = advance(stack, 3 * DAY + 3600);
  for (const gate of gates) {
    await killWhileWaiting(gate);
    await stack.restart('worker');
  }
  await closed;
  expect(await read(stack, passing.id)).toMatchObject({ status: 'PASSED', phase: 'lock', votes: { approve: 100_000 } });
  expect(await read(stack, failing.id)).toMatchObject({ status: 'FAILED', failureReason: 'rejected' });
  expect(await readStakeUsage(stack.sql, vaultId)).toMatchObject({ [proposer]: { status: 'LOCKED', used: 100_000 } });

  const gate = await holdLock(stack, ...lock(passing.id));
  const ended = advance(stack, 4 * DAY);
  await killWhileWaiting(gate);
  await stack.restart('worker');
  await ended;
  expect(await read(stack, passing.id)).toMatchObject({ failureReason: 'execution_window_elapsed' });
  expect(await readStakeUsage(stack.sql, vaultId)).toMatchObject({ [proposer]: { status: 'ACTIVE', used: 0 } });

  await expectEachAnchorOnce(stack);
  const rows = await stack.sql.run<{ line: string }>`select concat_ws(' ', data ->> 'status',
      data ->> 'reason') as line from outbox
      where data ->> 'proposalId' = any(${[passing.id, failing.id]}) and type = 'PROPOSAL_STATUS_CHANGED' order by line`;
  expect(rows.map(({ line }) => line)).toEqual(['FAILED execution_window_elapsed', 'FAILED rejected', 'PASSED']);
});
