import { expect } from '@jest/globals';
import { holdings, type Person } from '../vault-lifecycle/participants.ts';
import { auditedChanges } from '../stack/audited-changes.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { liveVotes, type Member, members, phaseOf, statusOf, tally, usedTokensOf, type Model } from './model.ts';

/** The service under test and the wallets that use it. */
export interface Real {
  readonly stack: TestStack;
  readonly vaultId: string;
  readonly ftUnit: string;
  readonly people: Readonly<Record<Member, Person>>;
  /** Base units that each member owns, staked or not. */
  readonly balances: Readonly<Record<Member, bigint>>;
}

/** Converts whole tokens of six decimals to base units. */
export const inBaseUnits = (tokens: number) => BigInt(tokens) * 1_000_000n;

/** Everything that a request can change at once; what later blocks confirm is not part of it. */
export async function databaseState({ sql }: TestStack): Promise<unknown> {
  const { rows } = await sql.query<{ footprint: unknown }>(
    `select jsonb_build_array(
      (select jsonb_agg(s order by id) from stakes s),
      (select jsonb_agg(p order by id) from proposals p),
      (select jsonb_agg(jsonb_build_array(id, amount, revoked_at) order by id) from votes),
      (select jsonb_agg(u order by vote_id, stake_id) from vote_stakes u),
      (select count(*) from endorsements), (select count(*) from anchor_facts), ${auditedChanges},
      (select count(*) from outbox where type not like 'VOTES%' and type not like 'TRANSACTION%'),
      (select count(*) from chain_transactions where kind in ('stake', 'unstake'))
    ) as footprint`,
  );
  return rows[0]?.footprint;
}

/** Expects usedPower ≤ votingPower, tally = sum of live votes, no token lost, and all other values as in the model. */
export async function expectInvariants(world: Model, real: Real): Promise<void> {
  const scripts = await expectStakes(world, real);
  await expectTokens(scripts, real);
  await expectProposals(world, real);
}

/** Checks every stake against the model; returns the base units that each stake script must hold. */
async function expectStakes(world: Model, { stack, vaultId }: Real): Promise<Map<string, bigint>> {
  const rows = await stack.sql.run<Record<'id' | 'status' | 'used' | 'power' | 'script', string>>`select id, status,
      used_power as used, voting_power as power, script_address as script from stakes
      where vault_id = ${vaultId} order by id`;
  for (const { used, power } of rows) expect(BigInt(used)).toBeLessThanOrEqual(BigInt(power));
  const expected = new Map(
    world.stakes.map((stake) => {
      const used = usedTokensOf(world, stake);
      const power = stake.returned ? 0n : inBaseUnits(stake.tokens);
      const status = stake.returned ? 'RELEASED' : used === null ? 'ACTIVE' : 'LOCKED';
      return [stake.id, { status, used: String(inBaseUnits(used ?? 0)), power: String(power) }];
    }),
  );
  expect(new Map(rows.map(({ id, status, used, power }) => [id, { status, used, power }]))).toEqual(expected);
  const scripts = new Map<string, bigint>();
  for (const { power, script } of rows) scripts.set(script, (scripts.get(script) ?? 0n) + BigInt(power));
  return scripts;
}

/** Expects every token to be on the ledger with its owner or in the script of its stake. */
async function expectTokens(
  scripts: ReadonlyMap<string, bigint>,
  { stack, ftUnit, people, balances: belongings }: Real,
): Promise<void> {
  const tokensAt = async (address: string) => (await holdings(stack, address)).get(ftUnit) ?? 0n;
  const staked: bigint[] = [];
  for (const [script, power] of scripts) {
    expect(await tokensAt(script)).toBe(power);
    staked.push(power);
  }
  const unstaked = await Promise.all(members.map((member) => tokensAt(people[member].address)));
  const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
  expect(sum([...staked, ...unstaked])).toBe(sum(Object.values(belongings)));
}

async function expectProposals(world: Model, { stack: { api, sql } }: Real): Promise<void> {
  for (const proposal of world.proposals) {
    const [approve, reject] = [tally(proposal, true), tally(proposal, false)];
    const { body } = await api.get<{ data: object }>(`/proposals/${proposal.id}`);
    expect(body.data).toMatchObject({
      status: statusOf(proposal),
      failureReason: proposal.failure,
      phase: phaseOf(world, proposal),
      votes: { approve, reject, uniqueVoters: liveVotes(proposal).length },
    });
    const rows = await sql.run<{ approve: string; reject: string }>`select coalesce(sum(amount) filter (where decision
        = 'APPROVE'), 0) as approve,
        coalesce(sum(amount) filter (where decision = 'REJECT'), 0) as reject
        from votes where proposal_id = ${proposal.id} and status <> 'REVOKED'`;
    expect(rows).toEqual([{ approve: String(inBaseUnits(approve)), reject: String(inBaseUnits(reject)) }]);
  }
}
