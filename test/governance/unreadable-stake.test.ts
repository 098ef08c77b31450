import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createProposalActivities } from '../../activities/proposals.ts';
import { wallClock, instant } from '../../src/platform/units/time.ts';
import { createUnitOfWork, offsetClock } from '../../src/platform/database/unit-of-work.ts';
import { holdLock } from '../stack/hold-locks.ts';
import { until } from '../stack/until.ts';
import { recordStatements } from '../store/recorded-statements.ts';
import { apiService } from '../vaults/api-service.ts';
import { readStakeUsage, seedStakes } from './seed-stakes.ts';
import { lockedVault, propose, voteBody } from './staked-vault.ts';
import { errorResponse } from '../stack/error-response.ts';

test('a stake that cannot be read refuses only the votes that need it, and keeps no other stake of its proposal locked', async () => {
  await using service = await apiService();
  const { api, sql, db } = service;
  const { vaultId, voters, proposer } = await lockedVault(service, [100_000, 30_000, 20_000, 10_000]);
  const [, damaged = '', partly = '', sound = ''] = voters;
  const id = await propose(service, vaultId, proposer);
  const vote = (wallet: string, tokens: number, decision = 'yes') =>
    api.post<object>(`/proposals/${id}/votes`, voteBody(wallet, tokens, decision));
  expect(await vote(damaged, 30_000)).toMatchObject({ status: 200 });
  await sql.run`update stakes set staked_at = 'infinity' where wallet = ${damaged}`;
  // Neither can the vote be read that another one of them replaces.
  expect(await vote(partly, 1000, 'no')).toMatchObject({ status: 200 });
  await sql.run`update votes set confirmed_at = 'infinity' where wallet = ${partly}`;
  await seedStakes(sql, vaultId, [{ wallet: partly, tokens: 5000 }], new Date(Date.now() - 3_600_000));
  await sql.run`update stakes set staked_at = 'infinity' where wallet = ${partly} and amount = 5000000000`;

  // All but the first of them wait for one batch.
  using recorded = recordStatements();
  const reads = () => recorded.statements().filter(({ text }) => /from "vaults" where "id" = any/.test(text)).length;
  const together = await (async () => {
    await using anchorChains = await holdLock(service, 'select 1 from anchor_chains for update');
    const first = vote(proposer, 100_000);
    await anchorChains.reached();
    const others: ReturnType<typeof vote>[] = [];
    for (const [wallet, tokens, decision] of [
      [damaged, 30_000, 'no'],
      [sound, 10_000],
      [partly, 25_000],
      [partly, 20_000],
    ] as const) {
      const before = reads();
      others.push(vote(wallet, tokens, decision));
      await until(() => reads() > before, { what: 'the vote to read its vault' });
    }
    // It is refused when it has read the vault after all others, and so when they wait for their batch.
    expect(await vote(sound, 1.000_000_01)).toMatchObject({ body: { error: { code: 'INVALID_QUANTITY' } } });
    return [first, ...others];
  })();
  const answers = (await Promise.all(together)).map(({ status }) => status);
  expect(answers).toEqual([200, 500, 200, 500, 200]);
  const ofOneBatch = (values: readonly unknown[]) =>
    [damaged, sound, partly].every((wallet) => values.flat().map(String).join().includes(wallet));
  expect(recorded.statements().filter(({ values }) => ofOneBatch(values))).not.toEqual([]);
  const { data } = (await api.get<{ data: Proposal }>(`/proposals/${id}`)).body;
  expect(data.votes).toMatchObject({ approve: 160_000, uniqueVoters: 4 });
  expect(await api.get(`/vaults/${vaultId}/stakes`)).toMatchObject(errorResponse(500, 'SYSTEM_ERROR'));

  const unitOfWork = createUnitOfWork(db, offsetClock(wallClock), { next: randomUUID });
  const activities = createProposalActivities({ db, unitOfWork, onTransition: () => undefined });
  const moment = (at: string) => ({ proposalId: id, now: instant(new Date(at)) });
  expect(await activities.closeVoting(moment(data.votingPhase.endTime))).toMatchObject({ stage: 'passed' });
  const over = moment(data.executionPhase.endTime);
  expect(await activities.endExecution(over)).toMatchObject({ stage: 'ended' });
  await activities.releaseStakes(over);
  const free = { status: 'ACTIVE', used: 0 };
  const wallets = [proposer, damaged, partly, sound];
  expect(await readStakeUsage(sql, vaultId)).toEqual(Object.fromEntries(wallets.map((wallet) => [wallet, free])));
  const rows = await sql.run<{ actor: string; amount: string }>`select actor, data ->> 'amountBaseUnits' as amount
      from outbox where type = 'STAKE_UNLOCKED' and vault_id = ${vaultId}`;
  const tokens = [100_000, 30_000, 20_000, 10_000];
  const unlocked = wallets.map((actor, place) => ({ actor, amount: `${tokens[place]}000000` }));
  expect(rows).toHaveLength(unlocked.length);
  expect(rows).toEqual(expect.arrayContaining(unlocked));
});

interface Proposal {
  readonly votes: object;
  readonly votingPhase: { readonly endTime: string };
  readonly executionPhase: { readonly endTime: string };
}
