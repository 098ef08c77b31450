import { expect, test } from '@jest/globals';
import { fundWallet, holdings, person } from '../vault-lifecycle/participants.ts';
import { advance } from '../vault-lifecycle/vault-requests.ts';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import {
  waitForProposal,
  execute,
  executeBody,
  freezeAndSign,
  governedVault,
  passedProposal,
} from './execution-requests.ts';
import { errorResponse } from './staked-vault.ts';

const ADA = 1_000_000;

test('a vault sells, buys, stakes, unstakes and liquidates, each with the signatures of its cosigners', async () => {
  await using stack = await testStack();
  const pool = person(105);
  const governance_settings = {
    creation_threshold: 1,
    start_threshold: 5,
    vote_threshold: 30,
    execution_threshold: 51,
    cosigning_threshold: 10,
    staking_addresses: [pool.address],
  };
  const governed = await governedVault(stack, 101, { vault: { governance_settings } });
  const { vaultId, custody, villa, contributor, investor, partner: seller } = governed;
  const policyId = await fundWallet(stack, seller, { ada: 500, assets: { Boat: 1 } });
  await stack.ledger.setPrice({ policyId, lovelace: String(90 * ADA) });
  const both = [contributor, investor];
  const run = async (details: object, action: object, signers: Parameters<typeof freezeAndSign>[3]) => {
    const id = await passedProposal(stack, governed, { details });
    const body = executeBody(contributor, both, action);
    await freezeAndSign(stack, id, body, signers);
    expect(await execute(stack, id, body)).toMatchObject({ status: 200, body: { status: 'executed' } });
    await waitForProposal(stack, id, { status: 'EXECUTED' });
  };
  const asset = async (name: string) => {
    const { rows } = await stack.sql.query<object>(
      `select status, staking_address as at from assets where vault_id = $1 and asset_name = $2`,
      [vaultId, Buffer.from(name).toString('hex')],
    );
    return rows[0];
  };

  const villaName = { policy_id: villa.policyId, asset_name: 'Villa' };
  const stakes = (direction: string, staking_address = pool.address) => ({
    action_type: 'stake_asset',
    affected_assets: [villaName],
    terms: { direction, staking_address },
  });
  // A vault that has just settled has no ADA of its own: its outputs pay for nothing.
  const coinBefore = await coinAt(stack, custody);
  await run(stakes('out'), { type: 'stake_asset', details: villaName }, both);
  expect((await holdings(stack, pool.address)).get(villa.unit)).toBe(1n);
  expect(await asset('Villa')).toEqual({ status: 'LOCKED', at: pool.address });
  await run(stakes('back'), { type: 'stake_asset', details: villaName }, [...both, pool]);
  expect((await holdings(stack, custody)).get(villa.unit)).toBe(1n);
  expect(await asset('Villa')).toEqual({ status: 'LOCKED', at: null });
  expect([await coinAt(stack, pool.address), await coinAt(stack, custody)]).toEqual([0n, coinBefore]);

  await run(
    {
      action_type: 'sell_asset',
      affected_assets: [villaName],
      terms: { price: 300 * ADA, buyer_address: seller.address },
    },
    { type: 'sell_asset', details: { ...villaName, price: 300 * ADA } },
    [...both, seller],
  );
  expect((await holdings(stack, seller.address)).get(villa.unit)).toBe(1n);

  const sellerCoinBefore = await coinAt(stack, seller.address);
  const boat = { policy_id: policyId, asset_name: 'Boat' };
  await run(
    { action_type: 'buy_asset', affected_assets: [boat], terms: { price: 80 * ADA, seller_address: seller.address } },
    { type: 'buy_asset', details: { ...boat, price: 80 * ADA } },
    [...both, seller],
  );
  const boatUnit = policyId + Buffer.from('Boat').toString('hex');
  expect((await holdings(stack, custody)).get(boatUnit)).toBe(1n);
  expect(await coinAt(stack, seller.address)).toBe(sellerCoinBefore + BigInt(80 * ADA));
  expect(await asset('Boat')).toEqual({ status: 'LOCKED', at: null });
  expect(await stack.sql.query('select counted_assets from vaults')).toMatchObject({ rows: [{ counted_assets: 1 }] });
  expect(await stack.api.get(`/vaults/${vaultId}/assets?addedBy=${seller.address}`)).toMatchObject({
    body: { data: { assets: [{ metadata: { name: 'Boat' } }] } },
  });

  const unlisted = { title: 'Away', description: '', ...stakes('out', seller.address), affected_assets: [boat] };
  expect(
    await stack.api.post(`/vaults/${vaultId}/proposals`, {
      proposer: contributor.address,
      proposal_details: unlisted,
    }),
  ).toMatchObject(errorResponse(400, 'STAKING_ADDRESS_NOT_LISTED'));

  const id = await passedProposal(stack, governed, { details: { action_type: 'liquidate' }, required: 0 });
  const liquidation = executeBody(contributor, [], { type: 'liquidate', details: {} });
  expect(await execute(stack, id, liquidation)).toMatchObject({ status: 200, body: { status: 'executed' } });
  await waitForProposal(stack, id, { status: 'EXECUTED' });
  expect(await stack.api.get(`/vaults/${vaultId}`)).toMatchObject({
    body: { data: { status: 'LOCKED', phase: 'terminating', termination: { reason: 'liquidated' } } },
  });
  const stake = { walletAddress: contributor.address, amount: 1 };
  expect(await stack.api.post(`/vaults/${vaultId}/stakes`, stake)).toMatchObject(
    errorResponse(400, 'VAULT_ALREADY_ENDED'),
  );
  await advance(stack, 60);
}, 240_000);

async function coinAt(stack: TestStack, address: string): Promise<bigint> {
  return (await holdings(stack, address)).get('lovelace') ?? 0n;
}
