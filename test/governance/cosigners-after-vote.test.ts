import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createProposalActivities } from '../../activities/proposals.ts';
import { wallClock } from '../../src/domain/units/clock.ts';
import { createIds } from '../../src/domain/units/ids.ts';
import { instant } from '../../src/domain/units/instant.ts';
import { createUnitOfWork, offsetClock } from '../../src/store/unit-of-work.ts';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { seedStakes } from './seed-stakes.ts';
import { lockedVault, propose, voteBody } from './staked-vault.ts';

const HOUR = 3600;

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

interface ProposalResponse {
  readonly data: {
    readonly votingPhase: { readonly endTime: string };
    readonly executionPhase: { readonly requiredCosigners: number };
  };
}

const read = async (id: string) => (await service.api.get<ProposalResponse>(`/proposals/${id}`)).body.data;
const requiredCosigners = async (id: string) => (await read(id)).executionPhase.requiredCosigners;

/** A proposal that two wallets pass, although neither has the tenth of the supply that cosigning takes. The vault asks for `k`. */
async function proposalWithoutCosigners(k: number | undefined) {
  const { vaultId, voters, proposer } = await lockedVault(service, [60_000, 60_000]);
  const governance = JSON.stringify({ requiredCosigners: k });
  const settings = `update vaults set metadata = metadata || jsonb_build_object('governance', $2::jsonb) where id = $1`;
  await service.sql.query(settings, [vaultId, governance]);
  const id = await propose(service, vaultId, proposer);
  for (const wallet of voters) {
    const vote = await service.api.post(`/proposals/${id}/votes`, voteBody(wallet, 60_000, 'yes'));
    expect(vote).toMatchObject({ status: 200 });
  }
  expect(await requiredCosigners(id)).toBe(0);
  return { vaultId, id, endsAt: new Date((await read(id)).votingPhase.endTime) };
}

/** Counts the votes, long after the vote has ended. */
async function close(proposalId: string, endsAt: Date): Promise<void> {
  const ids = createIds({ clock: wallClock, random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)) });
  const unitOfWork = createUnitOfWork(service.db, offsetClock(wallClock), ids);
  await service.advance(80 * HOUR);
  const worker = createProposalActivities({ db: service.db, unitOfWork, onTransition: () => undefined });
  expect(await worker.closeVoting({ proposalId, now: instant(endsAt) })).toMatchObject({ stage: 'passed' });
}

const hoursFrom = (endsAt: Date, hours: number) => new Date(endsAt.getTime() + hours * HOUR * 1000);

test('an execution needs the cosigners that the vault asks for if they staked before the vote ended, however early it was proposed', async () => {
  const { vaultId, id, endsAt } = await proposalWithoutCosigners(2);
  const [inTime, late, small] = [newWallet().address, newWallet().address, newWallet().address];
  await seedStakes(service.sql, vaultId, [{ wallet: inTime, tokens: 100_000 }], hoursFrom(endsAt, -1));
  await seedStakes(service.sql, vaultId, [{ wallet: small, tokens: 99_999 }], hoursFrom(endsAt, -1));
  await seedStakes(service.sql, vaultId, [{ wallet: late, tokens: 200_000 }], hoursFrom(endsAt, 1));
  await close(id, endsAt);
  expect(await requiredCosigners(id)).toBe(1);
});

test('a vault that asks for no cosigners gets none after the vote, and one without eligible stakers needs none', async () => {
  const unasked = await proposalWithoutCosigners(undefined);
  await seedStakes(
    service.sql,
    unasked.vaultId,
    [{ wallet: newWallet().address, tokens: 100_000 }],
    hoursFrom(unasked.endsAt, -1),
  );
  await close(unasked.id, unasked.endsAt);
  expect(await requiredCosigners(unasked.id)).toBe(0);

  const empty = await proposalWithoutCosigners(2);
  await close(empty.id, empty.endsAt);
  expect(await requiredCosigners(empty.id)).toBe(0);
});
