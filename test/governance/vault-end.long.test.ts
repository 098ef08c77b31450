import { expect, test } from '@jest/globals';
import { deriveKeys } from '../../src/cardano/keys/keys.ts';
import { witnessSetOf } from '../../src/cardano/keys/witnesses.ts';
import { vaultWorkflowId } from '../../src/platform/temporal/workflow-ids.ts';
import { expectStatement } from '../books/expect-books.ts';
import { canaries } from '../secrets/canaries.ts';
import { fileStack } from '../stack/file-stack.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { workflowDetails } from '../stack/workflow-details.ts';
import { sendAll } from '../vault-lifecycle/direct-submission.ts';
import {
  fundWallet,
  holdings,
  type Person,
  person,
  submitWitnesses,
  type UnsignedTransaction,
  waitForTransaction,
} from '../vault-lifecycle/participants.ts';
import { advance, readVault } from '../vault-lifecycle/vault-requests.ts';
import { scanUnsolicited, sendUnsolicited } from '../vaults/unsolicited-scan.ts';
import { assetOf, coinAt, readEnd, readStatus, readTermination, requestClaim, returnGift } from './ending-vault.ts';
import { claimsAddress, openedPot } from './opened-pot.ts';
import { execute, executeBody, freezeAndSign, passedProposal, waitForProposal } from './execution-requests.ts';
import { newestRotation, rotateNow, signMoves, unsignedMove } from './rotation-requests.ts';
import { seedStakes } from './seed-stakes.ts';
import { settledVault } from './settled-vault.ts';
import { propose } from './staked-vault.ts';
import { endWhileDamaged, untilHeld } from './troubled-ends.ts';

const DAY = 86_400;
const HOUR = 3600;
const ADA = 1_000_000;
const MANY = '1000000000';
/** How often a ledger that lags behind says that an address has nothing. */
const HIDDEN = 6;

/** Gets the liquidity share of every vault of the stack. */
const market = person(440);
const { operator } = deriveKeys(canaries.operatorMnemonic, 0);
const operatorWallet = {
  address: operator.address,
  sign: (unsignedTx: string) => witnessSetOf(unsignedTx, [operator]),
};
const stackOfFile = fileStack({ lyingLedger: true, environment: { LIQUIDITY_ADDRESS: market.address } });

/** A vault of registered cosigners with two NFTs, one of which its holders sell, and a programmed end. */
async function programmedVault(stack: TestStack, keepers: readonly Person[], heir: Person) {
  const [contributor, investor, buyer] = [person(431), person(432), person(433)];
  const { id: vaultId } = await settledVault(
    stack,
    { contributor, investor },
    {
      nft: 'Cabin',
      second: 'Boathouse',
      vault: {
        termination: {
          type: 'PROGRAMMED',
          duration: '06:00:00',
          remaining_assets_to: heir.address,
          unclaimed_lovelace_to: heir.address,
          claim_duration: '07:00:00',
        },
        governance_settings: {
          ...{
            creation_threshold: 1,
            start_threshold: 5,
            vote_threshold: 30,
            execution_threshold: 51,
            cosigning_threshold: 10,
          },
          ...{ cosigners: keepers.map(({ address }) => address), required_cosigners: 1 },
        },
      },
    },
  );
  const rows = await stack.sql.run<{ name: string; policyId: string; id: string }>`select id,
      policy_id as "policyId", convert_from(decode(asset_name, 'hex'), 'utf8') as name from assets
      where vault_id = ${vaultId}`;
  const [cabin, boathouse] = ['Cabin', 'Boathouse'].map((wanted) => rows.find(({ name }) => name === wanted));
  if (!cabin || !boathouse) throw new Error('the vault does not hold its NFTs');
  await seedStakes(
    stack.sql,
    vaultId,
    [
      { wallet: contributor.address, tokens: 600_000 },
      { wallet: investor.address, tokens: 300_000 },
    ],
    new Date(),
  );
  const unit = cabin.policyId + Buffer.from('Cabin').toString('hex');
  return {
    vaultId,
    contributor,
    investor,
    partner: buyer,
    custody: '',
    cabin: unit,
    boathouse,
    policyId: cabin.policyId,
  };
}

/** Sells the boathouse with the signature of one registered cosigner. */
async function sell(stack: TestStack, vault: Awaited<ReturnType<typeof programmedVault>>, keeper: Person) {
  const { partner, policyId, boathouse } = vault;
  const name = { policy_id: policyId, asset_name: 'Boathouse' };
  const details = { action_type: 'sell_asset', affected_assets: [name], terms: { price: 500 * ADA } };
  const governed = { ...vault, villa: { id: boathouse.id, policyId, unit: '' } };
  const id = await passedProposal(stack, governed, { details, required: 1 });
  await fundWallet(stack, partner, { ada: 800 });
  const body = executeBody(partner, [keeper], { type: 'sell_asset', details: { ...name, price: 500 * ADA } });
  await freezeAndSign(stack, id, body, [keeper, partner]);
  expect(await execute(stack, id, body)).toMatchObject({ status: 200 });
  await waitForProposal(stack, id, { status: 'EXECUTED' });
}

/** The transaction of a step that waits for its cosigners, unless it is this one. */
async function awaited(stack: TestStack, vaultId: string, step: string, other?: string): Promise<string> {
  const waits = async () => {
    const found = (await readTermination(stack, vaultId)).stepOf(step);
    const isAwaited = found?.status === 'waiting_for_cosigners' && found.reason === 'cosigners_to_sign';
    const hash = isAwaited ? found.transactionHash : null;
    return hash !== other && hash;
  };
  return until(waits, { what: `${step} to wait for its cosigners`, deadlineMs: 60_000 });
}

async function cosign(stack: TestStack, hash: string, keeper: Person): Promise<void> {
  const { body } = await stack.api.get<{ data: UnsignedTransaction }>(`/transactions/${hash}`);
  await submitWitnesses(stack, keeper, body.data);
  await waitForTransaction(stack, hash, ['final']);
}

/** A stranger sends something to the custody of a vault, which then begins to move; returns where the gift is. */
async function giftBeforeRotation(stack: TestStack, vaultId: string): Promise<string> {
  const { contractAddress: before } = await readVault(stack, vaultId);
  await sendUnsolicited(stack, before);
  await scanUnsolicited(stack);
  await rotateNow(stack, vaultId);
  await unsignedMove(stack, vaultId);
  return before;
}

/** The end of a vault waits for its rotation, and says so; then a cosigner signs what moves. */
async function untilRotated(stack: TestStack, vaultId: string, keeper: Person): Promise<void> {
  const { steps } = await readTermination(stack, vaultId);
  expect(steps.slice(0, 2)).toEqual([
    ['end_proposals', 'running', 'rotation'],
    ['gather_pot', 'pending', null],
  ]);
  const details = () => workflowDetails(stack, vaultWorkflowId(vaultId));
  const isSaid = async () =>
    (await details()).startsWith('The vault is ending. Waiting until its rotation has finished');
  await until(isSaid, { what: 'the workflow to say that it waits for the rotation', deadlineMs: 60_000 });
  await signMoves(stack, vaultId, keeper);
  const rows = await stack.sql.run<{ early: number }>`select count(*)::int as early
      from chain_transactions c join rotations r using (vault_id)
      where vault_id = ${vaultId} and c.kind = 'gather_pot' and c.created_at < r.finished_at`;
  expect(rows).toEqual([{ early: 0 }]);
}

/** Cosigners let the time for their signatures pass twice; returns the third transaction of the step. */
async function expireTwice(stack: TestStack, vaultId: string, step: string): Promise<string> {
  let hash: string | undefined;
  for (const isHeld of [false, true]) {
    hash = await awaited(stack, vaultId, step, hash);
    await advance(stack, 37 * HOUR);
    await waitForTransaction(stack, hash, ['expired']);
    await expectStatement(stack, vaultId);
    const holds = async () => (await readVault(stack, vaultId)).holds.map(({ reason }) => reason);
    if (isHeld)
      await until(async () => (await holds()).includes('repeated_failures'), { what: 'the vault to be held' });
  }
  return awaited(stack, vaultId, step, hash);
}

test('a vault ends when its creator said, with the signatures of its cosigners, however the ledger lags and the operator has nothing', async () => {
  const stack = stackOfFile();
  const [heir, keeper, other, stranger] = [person(434), person(435), person(436), person(441)];
  const vault = await programmedVault(stack, [keeper, other], heir);
  const { vaultId } = vault;
  const status = async () => (await readStatus(stack, vaultId))?.because;
  const recipients = { remainingAssetsTo: heir.address, remainingAssets: [], unclaimedAdaTo: heir.address };
  expect(await readTermination(stack, vaultId)).toMatchObject({ ...recipients, claimDeadline: null, steps: [] });
  await sell(stack, vault, keeper);
  const before = await giftBeforeRotation(stack, vaultId);

  // A backend that lags behind does not know yet what the vault has.
  const { contractAddress: custody } = await newestRotation(stack, vaultId);
  let hidden = 0;
  stack.liar.lie(({ path }) => (path.includes(`${custody}/utxos`) && (hidden += 1) <= HIDDEN ? 'lie' : 'honest'));
  await advance(stack, 6 * DAY);
  expect(await status()).toBe('programmed_end');
  await untilRotated(stack, vaultId, keeper);
  await cosign(stack, await expireTwice(stack, vaultId, 'gather_pot'), other);
  expect(hidden).toBeGreaterThan(HIDDEN);
  // Nothing fails any more: an operator need not look.
  expect((await readVault(stack, vaultId)).holds).toEqual([]);
  expect([...(await holdings(stack, before)).values()]).toEqual([20_000_000n, 7n]);
  await returnGift(stack, vaultId, stranger, other);
  expect([...(await holdings(stack, stranger.address)).values()]).toContain(7n);
  const { pot, circulating, supply } = await openedPot(stack, vaultId);
  expect(pot).toBeGreaterThan(BigInt(499 * ADA));
  // The platform has no key for a liquidity address of others: what is there circulates.
  expect(circulating).toBe(supply);
  const rows = await stack.sql.run<{ until: Date }>`select claims_opened_at + interval '28 days' as until
      from terminations where vault_id = ${vaultId}`;
  expect(await readTermination(stack, vaultId)).toMatchObject({
    ...recipients,
    claimDeadline: rows[0]?.until.toISOString(),
    steps: [
      ['end_proposals', 'done', null],
      ['gather_pot', 'done', 'liquidity_share_elsewhere'],
      ['hand_over', 'pending', 'after_claims'],
      ['claims', 'running', 'claim_deadline'],
      ['pay_remainder', 'pending', null],
      ['close_vault', 'pending', null],
    ],
  });

  // A backend that hides the pot shows none of what a claim is a share of: that is no reason to refuse it.
  const potAt = await claimsAddress(stack, vaultId);
  const { payoutLovelace, transaction } = (await requestClaim(stack, vaultId, vault.investor, 1)).body.data;
  let potHidden = 0;
  stack.liar.lie(({ path }) => (path.includes(potAt) && (potHidden += 1) <= HIDDEN ? 'lie' : 'honest'));
  await submitWitnesses(stack, vault.investor, transaction);
  await waitForTransaction(stack, transaction.hash, ['final']);
  expect(potHidden).toBeGreaterThan(HIDDEN);

  await until(() => sendAll(stack, operatorWallet, market.address), { what: 'the operator to have nothing' });
  // A week was asked for, in which no sale of the cabin could be decided: its phases take six days.
  await advance(stack, 27 * DAY);
  expect(await readEnd(stack, vaultId)).toMatchObject({ status: 'LOCKED', endedBecause: null });
  await advance(stack, DAY);
  await untilHeld(stack, vaultId);
  const held = await readTermination(stack, vaultId);
  expect(held.steps.slice(2)).toEqual([
    ['hand_over', 'running', 'repeated_failures'],
    ['claims', 'done', null],
    ['pay_remainder', 'pending', null],
    ['close_vault', 'pending', null],
  ]);
  await stack.ledger.faucet({ address: operator.address, lovelace: MANY });
  await advance(stack, HOUR);
  await cosign(stack, await awaited(stack, vaultId, 'hand_over'), keeper);
  await until(async () => (await readEnd(stack, vaultId)).status === 'TERMINATED', { what: 'the end' });
  const ended = await readTermination(stack, vaultId);
  expect(ended.steps.map(([, status]) => status)).toEqual(Array(6).fill('done'));
  const claimsEndedAt = held.stepOf('claims')?.at ?? '';
  expect(ended.stepOf('claims')?.at).toBe(claimsEndedAt);
  expect(claimsEndedAt >= (held.claimDeadline ?? '') && claimsEndedAt < (ended.terminatedAt ?? '')).toBe(true);
  expect((await holdings(stack, heir.address)).get(vault.cabin)).toBe(1n);
  expect(await coinAt(stack, heir.address)).toBeGreaterThanOrEqual(pot - BigInt(payoutLovelace));
  const { remains } = await expectStatement(stack, vaultId);
  for (const { reason } of remains) expect(['reference_token', 'vault_token', 'redeemed_tokens']).toContain(reason);
});

test('a vault ends when its assets have lost half of their value, with nothing to share, and a proposal that cannot be read', async () => {
  const stack = stackOfFile();
  const [contributor, heir] = [person(437), person(439)];
  const { id: vaultId } = await settledVault(
    stack,
    { contributor, investor: person(438) },
    { nft: 'Hut', vault: { termination: { type: 'DAO', fdp: 50, remaining_assets_to: heir.address } } },
  );
  await seedStakes(stack.sql, vaultId, [{ wallet: contributor.address, tokens: 600_000 }], new Date());
  const damaged = await propose(stack, vaultId, contributor.address);
  const { policyId, nameHex } = await assetOf(stack, vaultId);
  await stack.ledger.setPrice({ policyId, assetNameHex: nameHex, lovelace: '250000000' });
  for (let times = 0; times < 2; times += 1) {
    await advance(stack, HOUR);
    expect((await readStatus(stack, vaultId))?.because).toBeNull();
  }
  await endWhileDamaged(stack, damaged, () => advance(stack, HOUR));
  expect((await readStatus(stack, vaultId))?.because).toBe('floor_price_deviation');
  const { pot, float } = await openedPot(stack, vaultId);
  // What the operator has lent keeps the price of a sale payable to the last lovelace.
  expect([pot, float > BigInt(ADA)]).toEqual([0n, true]);
  await advance(stack, 91 * DAY);
  await until(async () => (await readEnd(stack, vaultId)).status === 'TERMINATED', { what: 'the end' });
  expect(await readEnd(stack, vaultId)).toMatchObject({ endedBecause: 'claim_deadline', pot: { lovelace: '0' } });
  expect((await holdings(stack, heir.address)).get(policyId + nameHex)).toBe(1n);
});
