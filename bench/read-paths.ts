import { seedStakes } from '../test/governance/seed-stakes.ts';
import { settledVault } from '../test/governance/settled-vault.ts';
import { contribute, fundWallet, invest, person, waitForTransaction } from '../test/vault-lifecycle/participants.ts';
import { createVault, waitForVaultStatus } from '../test/vault-lifecycle/vault-requests.ts';
import { propose, seedVoters, voteRequests } from './electorate.ts';
import { sendAll } from './load.ts';
import type { BenchStack } from './stack.ts';

/** Fills a page of every list. */
const ROWS = 24;

/** A read to measure: of a single resource, or of a page of a list. */
export interface ReadPath {
  readonly name: string;
  readonly path: string;
  readonly kind: 'single' | 'page';
}

/** Fills the service and returns the paths of single resources and of lists of 20. */
export async function readPaths(stack: BenchStack): Promise<ReadPath[]> {
  const { id: settled } = await settledVault(stack, { contributor: person(1), investor: person(2) });
  const open = await openVault(stack);
  const governed = await fillGovernance(stack, settled);
  const [vault, vaultOfStakes] = [`/vaults/${open.vaultId}`, `/vaults/${settled}`];
  const proposal = `/proposals/${governed.proposalId}`;
  const single = {
    'vault, open': vault,
    'vault, settled': vaultOfStakes,
    proposal,
    asset: `${vault}/assets/${open.assetId}`,
    investment: `${vault}/investments/${open.investmentId}`,
    stake: `/stakes/${governed.stakeId}`,
    vote: `/votes/${governed.voteId}`,
    transaction: `/transactions/${open.hash}`,
    valuation: `${vault}/valuation`,
  };
  const page = {
    vaults: '/vaults',
    assets: `${vault}/assets`,
    investments: `${vault}/investments`,
    proposals: `${vaultOfStakes}/proposals`,
    stakes: `${vaultOfStakes}/stakes`,
    votes: `${proposal}/votes`,
    transactions: '/transactions',
    activity: `${vault}/activity`,
  };
  return [readsOf('single', single), readsOf('page', page)].flat();
}

function readsOf(kind: ReadPath['kind'], paths: Readonly<Record<string, string>>): ReadPath[] {
  return Object.entries(paths).map(([name, path]) => ({ name, path: `/api/v1${path}`, kind }));
}

/** An open vault with assets and investments, and other vaults beside it. */
async function openVault(stack: BenchStack) {
  for (let made = 0; made < ROWS - 2; made += 1) await createVault(stack, person(3).address);
  const vaultId = await createVault(stack, person(3).address, { asset: { max_assets: 100 } });
  const people = Array.from({ length: ROWS }, (_, number) => ({
    contributor: person(100 + number),
    investor: person(200 + number),
    name: `Read${number}`,
  }));
  const policies = await Promise.all(
    people.map(async ({ contributor, investor, name }) => {
      await fundWallet(stack, investor, { ada: 100 });
      return fundWallet(stack, contributor, { ada: 50, assets: { [name]: 1 } });
    }),
  );
  const policyId = policies[0] ?? '';
  await stack.ledger.setPrice({ policyId, lovelace: '500000000' });
  await waitForVaultStatus(stack, vaultId, 'ACTIVE');
  const deposits = [];
  for (const { contributor, investor, name } of people) {
    const asset = await contribute(stack, vaultId, contributor, { policyId, name });
    const investment = await invest(stack, vaultId, investor, 20_000_000);
    deposits.push({ ...investment, ...asset, hashes: [asset.hash, investment.hash] });
  }
  for (const hash of deposits.flatMap(({ hashes }) => hashes)) await waitForTransaction(stack, hash, ['final']);
  const [deposit] = deposits;
  if (!deposit) throw new Error('nothing was deposited');
  return { vaultId, ...deposit };
}

/** Stakes and proposals in a settled vault, and votes on one of them. */
async function fillGovernance(stack: BenchStack, vaultId: string) {
  const { body } = await stack.root.get<{ now: string }>('/dev/clock');
  const finalAt = new Date(Date.parse(body.now) - 60_000);
  const proposer = person(4).address;
  await seedStakes(stack.sql, vaultId, [{ wallet: proposer, tokens: 60_000 }], finalAt);
  const voters = await seedVoters(stack.sql, vaultId, ROWS, finalAt);
  for (let made = 1; made < ROWS; made += 1) await propose(stack, vaultId, proposer);
  const proposalId = await propose(stack, vaultId, proposer);
  const { apiUrl: url, adminKey } = stack;
  await sendAll(voteRequests(proposalId, voters), { url, adminKey, connections: 4 });
  const { rows } = await stack.sql.query<{ voteId: string; stakeId: string }>(
    'select votes.id as "voteId", stakes.id as "stakeId" from votes join stakes using (wallet) where proposal_id = $1',
    [proposalId],
  );
  if (!rows[0]) throw new Error('nobody voted');
  return { proposalId, ...rows[0] };
}
