import { test } from '@jest/globals';
import fc from 'fast-check';
import { fundWallet, holdings, person } from '../vault-lifecycle/participants.ts';
import { testStack } from '../stack/test-stack.ts';
import { members, type Model } from './model.ts';
import { anyCommands, advanceCommand, proposeCommand, someVotes, stakeCommand } from './model-commands.ts';
import type { Real } from './model-invariants.ts';
import { settledVault } from './settled-vault.ts';

test('voting power, tallies and tokens match the model after every random stake, proposal, endorsement, vote, revocation, close and unstake', async () => {
  await using stack = await testStack({ blockMs: 100 });
  const people = { alice: person(81), bob: person(82), carol: person(83) };
  const vault = await settledVault(stack, { contributor: people.alice, investor: people.bob });
  const ftUnit = vault.fractionalization.tokenAddress;
  await Promise.all(members.map((member) => fundWallet(stack, people[member], { ada: 1000 })));
  const balanceOf = async (member: (typeof members)[number]) =>
    (await holdings(stack, people[member].address)).get(ftUnit) ?? 0n;
  const belongings = { alice: await balanceOf('alice'), bob: await balanceOf('bob'), carol: await balanceOf('carol') };
  const real: Real = { stack, vaultId: vault.id, ftUnit, people, balances: belongings };
  const world: Model = { hour: 0, stakes: [], proposals: [] };

  const first = [stakeCommand('alice', 60_000), stakeCommand('alice', 40_000), stakeCommand('bob', 70_000)];
  await fc.asyncModelRun(() => ({ model: world, real }), first);
  await fc.assert(
    fc.asyncProperty(someVotes, anyCommands(15), async (votes, steps) => {
      // Stakes remain between runs; all proposals of earlier runs have ended.
      world.proposals = [];
      const all = [proposeCommand('alice'), proposeCommand('bob'), ...votes, ...steps, advanceCommand(171)];
      await fc.asyncModelRun(() => ({ model: world, real }), all);
    }),
    { numRuns: 10, endOnFailure: true },
  );
});
