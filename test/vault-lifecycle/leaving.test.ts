import { expect, test } from '@jest/globals';
import { settledVault } from '../governance/settled-vault.ts';
import { ownPostgres, ownTemporal } from '../stack/own-servers.ts';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { leave, type OwnerScript, refusalToLeave } from './leave.ts';
import {
  contribute,
  fundWallet,
  holdings,
  invest,
  person,
  submitWitnesses,
  type UnsignedTransaction,
  waitForTransaction,
} from './participants.ts';
import { createVault, waitForVaultStatus } from './vault-requests.ts';

const YEAR_MS = 366 * 86_400_000;
const ADA = 1_000_000n;

/** As a single read of a deposit or a stake publishes it. */
async function publishedScript({ api }: TestStack, path: string): Promise<OwnerScript> {
  const { status, body } = await api.get<{ data: { ownerScript: OwnerScript } }>(path);
  expect(status).toBe(200);
  return body.data.ownerScript;
}

test('with api, worker, Temporal and Postgres gone, the owners of an asset, an investment and a stake take them back with what the service had published', async () => {
  await using postgres = await ownPostgres();
  await using temporal = await ownTemporal();
  await using stack = await testStack({ servers: { databaseUrl: postgres.databaseUrl, temporal } });
  const { api } = stack;
  const [holder, investor, owner] = [person(701), person(702), person(703)];

  const settled = await settledVault(stack, { contributor: holder, investor }, { nft: 'Abbey' });
  const token = settled.fractionalization.tokenAddress;
  const tokens = (await holdings(stack, holder.address)).get(token);
  type Staked = { data: { id: string; transaction: UnsignedTransaction } };
  const stake = { walletAddress: holder.address, amount: 1000 };
  const { data: staked } = (await api.post<Staked>(`/vaults/${settled.id}/stakes`, stake)).body;
  await submitWitnesses(stack, holder, staked.transaction);

  const open = await createVault(stack, owner.address);
  const policyId = await fundWallet(stack, owner, { ada: 100, assets: { Chapel: 1 } });
  await stack.ledger.setPrice({ policyId, lovelace: '500000000' });
  await waitForVaultStatus(stack, open, 'ACTIVE');
  const given = await contribute(stack, open, owner, { policyId, name: 'Chapel' });
  const invested = await invest(stack, open, investor, 300_000_000);
  for (const { hash } of [given, invested, staked.transaction]) await waitForTransaction(stack, hash, ['final']);
  const places = [
    { owner, path: `/vaults/${open}/assets/${given.assetId}` },
    { owner: investor, path: `/vaults/${open}/investments/${invested.investmentId}` },
    { owner: holder, path: `/stakes/${staked.id}` },
  ];
  const scripts = await Promise.all(
    places.map(async ({ path, ...place }) => ({ ...place, script: await publishedScript(stack, path) })),
  );
  const before = (await holdings(stack, investor.address)).get('lovelace') ?? 0n;

  await stack.kill('worker');
  await stack.kill('api', 'SIGTERM');
  await postgres.kill();
  await temporal.kill();
  await expect(api.get('/vaults')).rejects.toThrow();
  for (const place of scripts)
    expect(await refusalToLeave(stack, place.script, place.owner)).toMatch(/can take this from \S+Z on, not before/);
  await stack.ledger.setClock((await stack.ledger.clock()).offsetMs + YEAR_MS);
  for (const place of scripts) await leave(stack, place.script, place.owner);
  await stack.ledger.mine();

  for (const { script } of scripts) expect(await holdings(stack, script.address)).toEqual(new Map());
  const unit = policyId + Buffer.from('Chapel').toString('hex');
  expect((await holdings(stack, owner.address)).get(unit)).toBe(1n);
  expect((await holdings(stack, investor.address)).get('lovelace')).toBeGreaterThan(before + 300n * ADA);
  expect((await holdings(stack, holder.address)).get(token)).toBe(tokens);
});
