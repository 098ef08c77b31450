import { expect } from '@jest/globals';
import fc from 'fast-check';
import type { ErrorCode } from '../../src/platform/error-registry.ts';
import { submitWitnesses, waitForTransaction } from '../vault-lifecycle/participants.ts';
import { advance } from '../vault-lifecycle/vault-requests.ts';
import type { Answer } from '../stack/api-client.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { voteBody, proposalBody } from './staked-vault.ts';
import {
  endorse,
  endorseRefusal,
  type Member,
  members,
  advanceHours,
  propose,
  proposeRefusal,
  revokeRefusal,
  stakedBy,
  unstakeRefusal,
  vote,
  voteRefusal,
  type Model,
} from './model.ts';
import { databaseState, inBaseUnits, expectInvariants, type Real } from './model-invariants.ts';
import { errorResponse } from '../stack/error-response.ts';

export type Command = fc.AsyncCommand<Model, Real>;

interface StakeAnswer {
  readonly data: { readonly id: string; readonly transaction: Parameters<typeof submitWitnesses>[2] };
}

/** A command that checks the invariants after it has run. */
function command(name: string, isPossible: (world: Model) => boolean, run: Command['run']): Command {
  return {
    check: isPossible,
    async run(world, real) {
      await run(world, real);
      await expectInvariants(world, real);
    },
    toString: () => name,
  };
}

const alwaysPossible = () => true;
const hasProposals = ({ proposals }: Model) => proposals.length > 0;
const hasVotes = ({ proposals }: Model) => proposals.some(({ votes }) => votes.length > 0);
const pick = <Thing>(things: readonly Thing[], number: number): Thing => {
  const thing = things[number % things.length];
  if (thing === undefined) throw new RangeError('the list to pick from is empty');
  return thing;
};

/** Sends a request. If the model refuses it, the service must refuse it with the same code and change nothing; then returns null. */
async function send<Body>(
  { stack }: Real,
  refusal: ErrorCode | null,
  ask: (api: TestStack['api']) => Promise<Answer<Body>>,
): Promise<Body | null> {
  if (refusal === null) {
    const { status, body } = await ask(stack.api);
    if (status >= 300) throw new Error(`the service refused what the model accepts: ${JSON.stringify(body)}`);
    return body;
  }
  const before = await databaseState(stack);
  expect(await ask(stack.api)).toMatchObject(errorResponse(400, refusal));
  expect(await databaseState(stack)).toEqual(before);
  return null;
}

export const stakeCommand = (member: Member, tokens: number) =>
  command(`stake(${member}, ${tokens})`, alwaysPossible, async (world, real) => {
    const { stack, vaultId, people, balances: belongings } = real;
    const { address: walletAddress } = people[member];
    const staked = world.stakes.filter(({ owner, returned }) => owner === member && !returned);
    const free = belongings[member] - staked.reduce((sum, stake) => sum + inBaseUnits(stake.tokens), 0n);
    const refusal = inBaseUnits(tokens) > free ? 'ASSET_NOT_IN_WALLET' : null;
    const body = { walletAddress, amount: tokens };
    const answer = await send(real, refusal, (api) => api.post<StakeAnswer>(`/vaults/${vaultId}/stakes`, body));
    if (!answer) return;
    // Times of blocks are whole seconds: in the same second as the start of a vote, a later stake would count as an earlier one.
    await advance(stack, 1);
    await waitForTransaction(stack, await submitWitnesses(stack, people[member], answer.data.transaction), ['final']);
    world.stakes.push({ id: answer.data.id, owner: member, tokens, since: world.hour, returned: false });
  });

const unstakeCommand = (number: number) =>
  command(
    `unstake(${number})`,
    ({ stakes }) => stakes.length > 0,
    async (world, real) => {
      const stake = pick(world.stakes, number);
      const path = `/stakes/${stake.id}`;
      const answer = await send(real, unstakeRefusal(world, stake), (api) => api.del<StakeAnswer>(path));
      if (!answer) return;
      await submitWitnesses(real.stack, real.people[stake.owner], answer.data.transaction);
      const isBack = async () =>
        (await real.stack.api.get<{ data: { status: string } }>(path)).body.data.status === 'RELEASED';
      await until(isBack, { what: 'the stake to be RELEASED' });
      stake.returned = true;
    },
  );

export const proposeCommand = (member: Member) =>
  command(`propose(${member})`, alwaysPossible, async (world, real) => {
    const body = proposalBody(real.people[member].address);
    const path = `/vaults/${real.vaultId}/proposals`;
    const answer = await send(real, proposeRefusal(world, member), (api) =>
      api.post<{ proposal_id: string }>(path, body),
    );
    if (answer) propose(world, answer.proposal_id, member);
  });

const endorseCommand = (member: Member, number: number) =>
  command(`endorse(${member}, ${number})`, hasProposals, async (world, real) => {
    const proposal = pick(world.proposals, number);
    const { address: walletAddress } = real.people[member];
    const path = `/proposals/${proposal.id}/endorsements`;
    const refusal = endorseRefusal(world, proposal, member);
    if (await send(real, refusal, (api) => api.post(path, { walletAddress }))) endorse(world, proposal, member);
  });

/** Tokens of a vote as a share of everything the voter has staked by now, including stakes that came too late for the vote. */
const shares = {
  little: () => 1000,
  half: (all: number) => all / 2,
  all: (all: number) => all,
  more: (all: number) => all + 1,
};
type Share = keyof typeof shares;

const voteCommand = (voter: Member, number: number, share: Share, approves: boolean) =>
  command(`vote(${voter}, ${number}, ${share}, ${approves})`, hasProposals, async (world, real) => {
    const proposal = pick(world.proposals, number);
    const tokens = Math.max(1, shares[share](stakedBy(world, [voter])));
    const body = voteBody(real.people[voter].address, tokens, approves ? 'yes' : 'no');
    const answer = await send(real, voteRefusal(proposal, voter, tokens), (api) =>
      api.post<{ vote_id: string }>(`/proposals/${proposal.id}/votes`, body),
    );
    if (answer) vote(proposal, { id: answer.vote_id, voter, approves, tokens });
  });

const revokeCommand = (number: number) =>
  command(`revoke(${number})`, hasVotes, async (world, real) => {
    const all = world.proposals.flatMap((proposal) => proposal.votes.map((one) => ({ proposal, one })));
    const { proposal, one } = pick(all, number);
    if (await send(real, revokeRefusal(proposal, one), (api) => api.del(`/votes/${one.id}`))) one.live = false;
  });

/** No sum of these hours is close to the end of a phase, so the duration of the test itself does not matter. */
export const advanceCommand = (hours: 25 | 73 | 171) =>
  command(`pass(${hours} h)`, alwaysPossible, async (world, { stack }) => {
    await advance(stack, hours * 3600);
    advanceHours(world, hours);
  });

const member = fc.constantFrom(...members);
const number = fc.nat(99);
const share = fc.constantFrom<Share[]>('little', 'half', 'all', 'all', 'more');
const votes = fc
  .tuple(fc.constantFrom<Member[]>('alice', 'alice', 'bob', 'bob', 'carol'), number, share, fc.boolean())
  .map((args) => voteCommand(...args));

/** Enough votes that stakes are used in several proposals at once. */
export const someVotes = fc.array(votes, { minLength: 5, maxLength: 8 });

/** Commands in any order; votes are more frequent than the others. */
export const anyCommands = (maxCommands: number) =>
  fc.commands<Model, Real, false>(
    [
      ...Array<typeof votes>(4).fill(votes),
      fc.tuple(member, fc.constantFrom(6000, 30_000, 90_000)).map((args) => stakeCommand(...args)),
      number.map(unstakeCommand),
      member.map(proposeCommand),
      fc.tuple(member, number).map((args) => endorseCommand(...args)),
      number.map(revokeCommand),
      fc.constantFrom(25 as const, 73 as const).map(advanceCommand),
    ],
    { maxCommands, size: 'max' },
  );
