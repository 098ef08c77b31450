import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { apiRoutes } from '../../src/routes.ts';
import { type ApiService, apiService } from '../vaults/api-service.ts';
import { mutations, type Schema } from '../vaults/schema-mutations.ts';
import { type AssetName, addCustodyNft, type VaultWithCustody, vaultWithCustody } from './vault-with-custody.ts';
import { voteBody, propose } from './staked-vault.ts';
import { auditedChanges } from '../stack/audited-changes.ts';

interface ErrorBody {
  readonly error?: { readonly code: string; readonly details?: { readonly errors?: readonly { field: string }[] } };
}
interface InvalidRequest {
  readonly field: string;
  readonly how: string;
  readonly body: unknown;
}

let service: ApiService;
let vault: VaultWithCustody;
let asset: AssetName;
let proposalId: string;
beforeAll(async () => {
  service = await apiService();
  vault = await vaultWithCustody(service);
  asset = await addCustodyNft(service, vault);
  proposalId = await propose(service, vault.vaultId, vault.big.address);
});
afterAll(() => service[Symbol.asyncDispose]());

const addresses = ['nonsense', 'addr1vxeuemzvhq7xj0wvhf9c22y96auwc6m3rf3w9z0tqg2zs5q3f6kqs'];

const sale = () => ({
  proposer: vault.big.address,
  proposal_details: {
    title: 'Sell it',
    description: 'All of it',
    action_type: 'sell_asset',
    affected_assets: [asset],
    terms: { price: 5_000_000, buyer_address: vault.small.address },
  },
  governance_thresholds: {
    creation_threshold: 1,
    start_threshold: 5,
    vote_threshold: 30,
    execution_threshold: 51,
    cosigning_threshold: 10,
    required_cosigners: 1,
  },
  phases: { voting_duration: '72h', lock_duration: '24h', execution_duration: '02:00:00' },
});

/** Invalid values that a JSON schema cannot express, for the fields of one part of a body. */
const within = (part: string, fields: Record<string, readonly unknown[]>) =>
  Object.entries(fields).flatMap(([field, values]) => values.map((value) => ({ part, field, value })));

const invalidValues = [
  ...within('proposal_details', {
    title: ['   '],
    action_type: ['burn', 'buy_asset', 'liquidate', 'stake_asset'],
    affected_assets: [[], [{ policy_id: 'ab'.repeat(28), asset_name: 'Moon' }], [{ policy_id: 'ab', asset_name: '' }]],
    terms: [
      ...[0, -1, 1.5, '0', '1e3', '45000000000000001'].map((price) => ({ price })),
      ...addresses.map((text) => ({ buyer_address: text })),
      { seller_address: 'nonsense' },
      { quantity: '0' },
      { direction: 'up' },
    ],
  }),
  ...within(
    'governance_thresholds',
    Object.fromEntries(
      ['creation', 'start', 'vote', 'execution', 'cosigning'].map((name) => [`${name}_threshold`, [0.5, 55.555, 1e-7]]),
    ),
  ),
  ...within(
    'phases',
    Object.fromEntries(
      ['voting', 'lock', 'execution'].map((name) => [`${name}_duration`, ['x', '1:2:3', '0h', '-1h', '169h', '1.5h']]),
    ),
  ),
];

function invalidProposals(): InvalidRequest[] {
  const body: Record<string, object | string> = sale();
  return [
    ...addresses.map((proposer) => ({ field: 'proposer', how: proposer, body: { ...body, proposer } })),
    ...invalidValues.map(({ part, field, value }) => ({
      field: part,
      how: `${field}: ${JSON.stringify(value)}`,
      body: { ...body, [part]: { ...(body[part] as object), [field]: value } },
    })),
  ];
}

const invalidVotes = (): InvalidRequest[] =>
  [0, '0', '-1', '1e3', '0.0000001', '99999999999999999999999999999999', 1e300, 12345678.123456789]
    .map((amount) => ({ field: 'voter', how: String(amount), body: voteBody(vault.big.address, amount, 'yes') }))
    .concat(addresses.map((text) => ({ field: 'voter', how: text, body: voteBody(text, 1, 'yes') })))
    .concat(['maybe', 'yess', ' yes'].map((word) => ({ field: 'vote', how: word, body: voteBody('x', 1, word) })));

const samples: Record<string, () => { path: string; body: object; wrong: InvalidRequest[] }> = {
  createProposal: () => ({ path: `/vaults/${vault.vaultId}/proposals`, body: sale(), wrong: invalidProposals() }),
  castVote: () => ({
    path: `/proposals/${proposalId}/votes`,
    body: { ...voteBody(vault.big.address, 1, 'yes'), nonce: 'n', signature: 'aa', key: 'aa' },
    wrong: invalidVotes(),
  }),
  endorseProposal: () => ({
    path: `/proposals/${proposalId}/endorsements`,
    body: { walletAddress: vault.middle.address },
    wrong: addresses.map((walletAddress) => ({ field: 'walletAddress', how: walletAddress, body: { walletAddress } })),
  }),
  stake: () => ({
    path: `/vaults/${vault.vaultId}/stakes`,
    body: { walletAddress: vault.big.address, amount: '10.5' },
    wrong: invalidStakes(),
  }),
};

function invalidStakes(): InvalidRequest[] {
  const body = { walletAddress: vault.big.address, amount: '10.5' };
  const amounts = ['nonsense', '0', '-1', '1e3', '1.0000001', '99999999999999999999', 1e300, 12345678.123456789, 0];
  return [
    ...amounts.map((amount) => ({ field: 'amount', how: String(amount), body: { ...body, amount } })),
    ...addresses.map((text) => ({ field: 'walletAddress', how: text, body: { ...body, walletAddress: text } })),
  ];
}

test.each(Object.keys(samples))(
  '%s refuses every invalid field with an error that names the field, and changes nothing',
  async (id) => {
    const route = apiRoutes.api.find(({ operationId }) => operationId === id);
    const { path, body, wrong } = samples[id]!();
    const schema = z.toJSONSchema(route!.body!, { io: 'input' }) as Schema;
    const before = await countRows();
    const accepted: unknown[] = [];
    for (const { field, how, body: mutated } of [...mutations(schema, body), ...wrong]) {
      const { status, body: answer } = await service.api.post<ErrorBody>(path, mutated);
      const named = answer.error?.details?.errors?.some((problem) => isAbout(problem.field, field));
      if (status !== 400 || !named) accepted.push({ field, how, status, answer });
    }
    expect(accepted).toEqual([]);
    expect(await countRows()).toEqual(before);
  },
);

/** Whether an error names the field itself, a part of it or the part that contains it. */
function isAbout(reported: string, field: string): boolean {
  return reported === field || reported.startsWith(`${field}.`) || field.startsWith(`${reported}.`);
}

async function countRows(): Promise<unknown> {
  const counted = await service.sql.query(
    `select (select count(*) from proposals) as proposals, (select count(*) from stakes) as stakes, (select count(*) from endorsements) as endorsements,
      (select count(*) from votes) as votes, (select count(*) from anchor_facts) as facts,
      (select count(*) from outbox) as events, ${auditedChanges} as audited`,
  );
  return counted.rows[0];
}
