import { expect, test } from '@jest/globals';
import { fundWallet, holdings, person, waitForTransaction } from '../vault-lifecycle/participants.ts';
import { advance } from '../vault-lifecycle/vault-requests.ts';
import { forgedLife } from '../signing-policy/forged-life.ts';
import { expectBooks, expectStatement } from '../books/expect-books.ts';
import { fileStack } from '../stack/file-stack.ts';
import {
  waitForProposal,
  execute,
  executeBody,
  freezeAndSign,
  governedVault,
  passedProposal,
  readProposal,
} from './execution-requests.ts';
import { until } from '../stack/until.ts';
import { rollBackFrom } from '../vault-lifecycle/roll-back-transactions.ts';
import { sendUnsolicited } from '../vaults/unsolicited-scan.ts';
import {
  claimShare,
  coinAt,
  moveStaked,
  readEnd,
  readStatus,
  returnGift,
  rollBackOnce,
  sellWhileEnding,
} from './ending-vault.ts';
import { claimsAddress, openedPot } from './opened-pot.ts';
import { loseLiquidation } from './lost-liquidation.ts';
import { restartWorkflow } from './restart-workflow.ts';
import { rotatedCustody, rotateNow } from './rotation-requests.ts';
import { errorResponse } from '../stack/error-response.ts';

const ADA = 1_000_000;
/** Base units of a whole token. */
const UNITS = 1_000_000n;
const DAY = 86_400;

const thresholds = {
  creation_threshold: 1,
  start_threshold: 5,
  vote_threshold: 30,
  execution_threshold: 51,
  cosigning_threshold: 10,
};

const stackOfFile = fileStack({ lyingLedger: true });

test('a vault whose liquidation was lost sells, buys, stakes, unstakes, moves to another key and liquidates, each with the signatures of its cosigners', async () => {
  const stack = stackOfFile();
  const pool = person(105);
  const governance_settings = { ...thresholds, staking_addresses: [pool.address] };
  const governed = await governedVault(stack, 101, { vault: { governance_settings } });
  const { vaultId, custody, villa, contributor, investor, partner: seller } = governed;
  const lost = await loseLiquidation(stack, governed, person(107));
  const policyId = await fundWallet(stack, seller, { ada: 500, assets: { Boat: 1 } });
  await stack.ledger.setPrice({ policyId, lovelace: String(90 * ADA) });
  const both = [contributor, investor];
  await using forged = forgedLife(stack, [...both, seller, pool]);
  const run = async (
    details: object,
    action: object,
    signers: Parameters<typeof freezeAndSign>[3],
    effect: Parameters<typeof forged.execution>[0],
  ) => {
    const id = await passedProposal(stack, governed, { details });
    const body = executeBody(contributor, both, action);
    const { hash } = await freezeAndSign(stack, id, body, signers);
    expect(await execute(stack, id, body)).toMatchObject({ status: 200, body: { status: 'executed' } });
    await waitForProposal(stack, id, { status: 'EXECUTED' });
    await forged.execution(effect, hash);
  };
  const asset = async (name: string) => {
    const rows = await stack.sql.run<object>`select status, staking_address as at from assets
        where vault_id = ${vaultId} and asset_name = ${Buffer.from(name).toString('hex')}`;
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
  await run(stakes('out'), { type: 'stake_asset', details: villaName }, both, 'STAKE');
  expect(await readProposal(stack, lost)).toMatchObject({ failureReason: 'execution_window_elapsed' });
  expect((await holdings(stack, pool.address)).get(villa.unit)).toBe(1n);
  expect(await asset('Villa')).toEqual({ status: 'LOCKED', at: pool.address });
  await run(stakes('back'), { type: 'stake_asset', details: villaName }, [...both, pool], 'STAKE back');
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
    'ASSET_SALE',
  );
  expect((await holdings(stack, seller.address)).get(villa.unit)).toBe(1n);

  const sellerCoinBefore = await coinAt(stack, seller.address);
  const boat = { policy_id: policyId, asset_name: 'Boat' };
  await run(
    { action_type: 'buy_asset', affected_assets: [boat], terms: { price: 80 * ADA, seller_address: seller.address } },
    { type: 'buy_asset', details: { ...boat, price: 80 * ADA } },
    [...both, seller],
    'BUY',
  );
  const boatUnit = policyId + Buffer.from('Boat').toString('hex');
  expect((await holdings(stack, custody)).get(boatUnit)).toBe(1n);
  expect(await coinAt(stack, seller.address)).toBe(sellerCoinBefore + BigInt(80 * ADA));
  expect(await asset('Boat')).toEqual({ status: 'LOCKED', at: null });
  expect(await stack.sql.query('select counted_assets from vaults where id = $1', [vaultId])).toMatchObject({
    rows: [{ counted_assets: 1 }],
  });
  expect(await stack.api.get(`/vaults/${vaultId}/assets?addedBy=${seller.address}`)).toMatchObject({
    body: { data: { assets: [{ metadata: { name: 'Boat' } }] } },
  });

  await rotateNow(stack, vaultId);
  const rotated = await rotatedCustody(stack, vaultId, custody);
  expect(rotated.held.get(boatUnit)).toBe(1n);
  expect(await asset('Boat')).toEqual({ status: 'LOCKED', at: null });

  const unlisted = { title: 'Away', description: '', ...stakes('out', seller.address), affected_assets: [boat] };
  expect(
    await stack.api.post(`/vaults/${vaultId}/proposals`, {
      proposer: contributor.address,
      proposal_details: unlisted,
    }),
  ).toMatchObject(errorResponse(400, 'STAKING_ADDRESS_NOT_LISTED'));

  await forged.stake(vaultId, contributor);
  // The books know nothing of what was staked without the service.
  await stack.sql.run`update stakes set release_slot = 0 where vault_id = ${vaultId}`;
  await expectStatement(stack, vaultId);
  const heir = person(106);
  const terms = { remaining_assets: [{ ...boat, address: pool.address }], unclaimed_lovelace_to: heir.address };
  const id = await passedProposal(stack, governed, { details: { action_type: 'liquidate', terms }, required: 0 });
  const liquidation = executeBody(contributor, [], { type: 'liquidate', details: terms });
  expect(await execute(stack, id, liquidation)).toMatchObject({ status: 200, body: { status: 'executed' } });
  const decided = await waitForProposal(stack, id, { status: 'EXECUTED' });
  await forged.execution('LIQUIDATE', decided.execution?.transaction.hash ?? '');
  expect(await stack.api.get(`/vaults/${vaultId}`)).toMatchObject({
    body: { data: { status: 'LOCKED', phase: 'terminating', termination: { reason: 'liquidated' } } },
  });
  const stake = { walletAddress: contributor.address, amount: 1 };
  expect(await stack.api.post(`/vaults/${vaultId}/stakes`, stake)).toMatchObject(
    errorResponse(400, 'VAULT_ALREADY_ENDED'),
  );
  await rollBackOnce(stack, vaultId, 'gather_pot');
  await rollBackOnce(stack, vaultId, 'hand_over');
  const { pot, float, circulating, supply, ftUnit } = await openedPot(stack, vaultId);
  const claims = await claimsAddress(stack, vaultId);
  const atClaims = await holdings(stack, claims);
  // The sale brought 300 ADA and the purchase cost 80; the liquidity share is the vault's own, its tokens never circulated.
  expect(atClaims.get('lovelace')).toBe(pot + float);
  expect(pot).toBeGreaterThan(BigInt(220 * ADA));
  expect(atClaims.get(ftUnit)).toBe(supply - circulating);
  expect(atClaims.get(ftUnit)).toBeGreaterThan(0n);
  expect((await holdings(stack, rotated.custody)).get(ftUnit)).toBeUndefined();
  expect((await holdings(stack, pool.address)).get(boatUnit)).toBe(1n);
  expect(await asset('Boat')).toEqual({ status: 'RELEASED', at: null });
  expect(await readEnd(stack, vaultId)).toEqual({
    status: 'LOCKED',
    endedBecause: null,
    pot: { lovelace: pot.toString(), circulatingFtBaseUnits: circulating.toString() },
    unclaimedAdaTo: heir.address,
    named: [pool.address],
    steps: ['done', 'done', 'done', 'running', 'pending', 'pending'],
  });

  await advance(stack, 91 * DAY);
  const ended = async () => (await readEnd(stack, vaultId)).status === 'TERMINATED';
  await until(ended, { what: 'the vault to be terminated' });
  expect(await readEnd(stack, vaultId)).toEqual({
    status: 'TERMINATED',
    endedBecause: 'claim_deadline',
    pot: { lovelace: '0', circulatingFtBaseUnits: circulating.toString() },
    unclaimedAdaTo: heir.address,
    named: [pool.address],
    steps: ['done', 'done', 'done', 'done', 'done', 'done'],
  });
  expect(await coinAt(stack, heir.address)).toBe(pot);
  expect(await holdings(stack, claims)).toEqual(new Map());
  // What nobody can burn lies in one output, with its min-ADA.
  const left = await holdings(stack, rotated.custody);
  expect([left.get(ftUnit), left.size]).toEqual([supply - circulating, 4]);
  expect(left.get('lovelace')).toBeLessThan(BigInt(4 * ADA));
  const { remains } = await expectStatement(stack, vaultId);
  expect(remains).toMatchObject([{ reason: 'vault_token', address: rotated.custody }]);
  await forged.end(vaultId);
  expect(forged.seen).toEqual(
    Object.fromEntries(Object.entries(forged.expected).map(([kind, reason]) => [kind, expect.stringMatching(reason)])),
  );
  // Nobody has a right to it: only stakes that their owners have not taken back keep the vault from being deleted.
  const blocked = { error: { code: 'VAULT_NOT_DELETABLE', details: { blockedBy: ['stakes'] } } };
  expect(await stack.api.del(`/vaults/${vaultId}`)).toMatchObject({ status: 400, body: blocked });
  await stack.sql.run`update stakes set status = 'RELEASED', release_reason = 'unstaked' where vault_id = ${vaultId}`;
  expect(await stack.api.del(`/vaults/${vaultId}`)).toMatchObject({ status: 200 });
});

test('a settled vault whose workflow starts again continues to its end, in which holders share what was gathered, came back and was sold, whatever is rolled back, and claim after it', async () => {
  const stack = stackOfFile();
  const pool = person(425);
  const governance_settings = { ...thresholds, staking_addresses: [pool.address] };
  const governed = await governedVault(stack, 421, { vault: { governance_settings }, onLedger: false });
  const { vaultId, villa, contributor, investor } = governed;
  await advance(stack, 10 * DAY);
  // Like a purchased asset: the settlement did not count its price, and the market has no usable one.
  await stack.sql.run`update assets set counted_price = null where id = ${villa.id}`;
  await stack.ledger.setPrice({ policyId: villa.policyId, lovelace: '1', decimals: 3 });
  await restartWorkflow(stack, vaultId, 'governance');
  expect(await readStatus(stack, vaultId)).toEqual({ status: 'LOCKED', because: null });

  await moveStaked(stack, governed, pool, 'out');
  await sendUnsolicited(stack, governed.custody);
  const id = await passedProposal(stack, governed, { details: { action_type: 'liquidate' }, required: 0 });
  const body = executeBody(contributor, [], { type: 'liquidate', details: {} });
  expect(await execute(stack, id, body)).toMatchObject({ status: 200 });
  await waitForProposal(stack, id, { status: 'EXECUTED' });
  const opened = await openedPot(stack, vaultId);
  expect(await readStatus(stack, vaultId)).toEqual({ status: 'LOCKED', because: 'liquidated' });
  const first = await claimShare(stack, vaultId, investor, 1000);
  expect(first.payout).toBe((opened.pot * 1000n * UNITS) / opened.circulating);
  const gathered = await stack.sql.run<{ hash: string }>`select hash from chain_transactions
      where vault_id = ${vaultId} and kind = 'gather_pot' and state = 'final'`;
  const undone = [...gathered.map(({ hash }) => hash), first.hash];
  await rollBackFrom(stack, undone);
  for (const hash of undone) await waitForTransaction(stack, hash, ['final']);
  const [left, units] = [opened.pot - first.payout, opened.circulating - 1000n * UNITS];
  expect(await openedPot(stack, vaultId)).toMatchObject({ pot: left, circulating: units });

  // What is staked elsewhere can only be sold once holders have decided its return.
  await moveStaked(stack, governed, pool, 'back');
  expect(await openedPot(stack, vaultId)).toMatchObject({ pot: left, circulating: units });
  const proceeds = await sellWhileEnding(stack, governed);
  const second = await claimShare(stack, vaultId, contributor, 2000);
  expect(second.payout).toBe(((left + proceeds) * 2000n * UNITS) / units);
  const { pot, circulating } = await openedPot(stack, vaultId);
  expect([pot, circulating]).toEqual([left + proceeds - second.payout, units - 2000n * UNITS]);
  const claims = await claimsAddress(stack, vaultId);
  expect(await coinAt(stack, claims)).toBe(pot + opened.float);
  await advance(stack, 91 * DAY);
  await until(async () => (await readEnd(stack, vaultId)).status === 'TERMINATED', {
    what: 'the vault to be terminated',
  });
  // Nobody was named for anything: the pot stays for those who come late, in one output, and the operator has the rest of the float.
  expect(await readEnd(stack, vaultId)).toMatchObject({
    endedBecause: 'claim_deadline',
    pot: { lovelace: pot.toString(), circulatingFtBaseUnits: circulating.toString() },
    steps: ['done', 'done', 'skipped', 'done', 'skipped', 'done'],
  });
  const lent = (await coinAt(stack, claims)) - pot;
  expect(Number(lent) / ADA).toBeCloseTo(1.2, 0);
  await returnGift(stack, vaultId, person(426));
  const { remains } = await expectBooks(stack, vaultId);
  const reasons = remains.flatMap(({ place, reason }) => (place === 'claims' ? [reason] : []));
  expect([...new Set(reasons)]).toEqual(['pot']);
  const late = await claimShare(stack, vaultId, investor, 500);
  expect(late.payout).toBe((pot * 500n * UNITS) / circulating);
  expect(await openedPot(stack, vaultId)).toMatchObject({
    pot: pot - late.payout,
    circulating: circulating - 500n * UNITS,
  });
  expect(await coinAt(stack, claims)).toBe(pot - late.payout + lent);
  await expectStatement(stack, vaultId);
});
