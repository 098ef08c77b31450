import { expect, test } from '@jest/globals';
import type { TransactionState } from '../../transactions/rules.ts';
import { instant } from '../../platform/units/time.ts';
import { viewReturnStep, type StepsSnapshot, viewSteps } from './steps.ts';

const day = (number: number) => instant(new Date(`2026-11-${number}T00:00:00Z`));
const at = day(23);
const begun: StepsSnapshot = {
  now: at,
  isSettled: true,
  isRotating: false,
  hasLiveProposals: true,
  awaitsExecution: false,
  awaitsClaim: false,
  holds: [],
  transactions: [],
  gatheringBegunAt: null,
  claimsOpenedAt: null,
  claimDeadline: null,
  endedBecause: null,
  claimsEndedAt: null,
  namesAssetRecipient: true,
  namesLastAssetRecipient: false,
  namesLovelaceRecipient: false,
  hasAssets: false,
  hasAssetsToHand: false,
  hasOwnerlessAssets: false,
  isPotEmpty: false,
  isLiquidityElsewhere: null,
  terminatedAt: null,
};
const made = (kind: string, state: TransactionState, hash = kind) => ({ kind, hash, state, expiresAt: day(24), at });
const gathered = { hasLiveProposals: false, gatheringBegunAt: day(22), transactions: [made('gather_pot', 'final')] };
const claiming = { ...gathered, claimsOpenedAt: at, claimDeadline: day(28) };
const claimed = { ...claiming, endedBecause: 'claim_deadline', claimsEndedAt: day(28), now: day(29) } as const;

const view = (snapshot: Partial<StepsSnapshot>) => viewSteps({ ...begun, ...snapshot });
const statuses = (snapshot: Partial<StepsSnapshot>) => view(snapshot).map(({ status }) => status);
/** What the step that is being taken waits for. */
const waits = (snapshot: Partial<StepsSnapshot>) => {
  const [running, ...others] = view(snapshot).filter(({ status }) => /running|waiting/.test(status));
  expect(others).toEqual([]);
  return [running?.name, running?.reason];
};

test('the steps of an end follow one another, and those without a recipient are skipped', () => {
  expect(statuses({})).toEqual(['running', 'pending', 'pending', 'pending', 'skipped', 'pending']);
  expect(statuses({ hasLiveProposals: false }).slice(0, 3)).toEqual(['done', 'running', 'pending']);
  expect(statuses(gathered).slice(0, 3)).toEqual(['done', 'running', 'pending']);
  const handed = [...gathered.transactions, made('hand_over', 'final')];
  expect(statuses({ ...claiming, transactions: handed })).toEqual([
    'done',
    'done',
    'done',
    'running',
    'skipped',
    'pending',
  ]);
  expect(statuses({ ...claimed, transactions: handed, terminatedAt: at })).toEqual([
    'done',
    'done',
    'done',
    'done',
    'skipped',
    'done',
  ]);
});

test('assets that are left after the claims are handed over then, before the remainder is paid', () => {
  const named = { namesLastAssetRecipient: true, namesLovelaceRecipient: true };
  const held = { ...named, hasAssets: true };
  expect(statuses({ ...claiming, ...held })).toEqual(['done', 'done', 'pending', 'running', 'pending', 'pending']);
  expect(view({ ...claiming, ...held })[2]?.reason).toBe('after_claims');
  const left = { ...claimed, ...held, hasAssetsToHand: true };
  expect(statuses(left)).toEqual(['done', 'done', 'running', 'done', 'pending', 'pending']);
  const handing = { ...left, hasAssetsToHand: false, transactions: [made('hand_over', 'confirmed')] };
  expect(waits(handing)).toEqual(['hand_over', 'transaction_not_final']);
  const handed = { ...claimed, ...named, transactions: [made('hand_over', 'final')] };
  expect(statuses(handed)).toEqual(['done', 'done', 'done', 'done', 'running', 'pending']);
  const paid = { ...handed, transactions: [...handed.transactions, made('pay_remainder', 'final')] };
  expect(statuses({ ...paid, hasAssetsToHand: true })).toEqual(['done', 'done', 'done', 'done', 'done', 'running']);
  const sold = view({ ...claimed, ...named, isPotEmpty: true });
  expect(sold.map(({ status, reason }) => [status, reason]).slice(2)).toEqual([
    ['skipped', 'nothing_left'],
    ['done', null],
    ['skipped', 'nothing_left'],
    ['running', null],
  ]);
});

test('a step says what it waits for', () => {
  expect(waits({ isSettled: false })).toEqual(['end_proposals', 'settlement_rolled_back']);
  expect(waits({ awaitsExecution: true })).toEqual(['end_proposals', 'executions_not_final']);
  expect(waits({ hasLiveProposals: false, isRotating: true })).toEqual(['end_proposals', 'rotation']);
  const gathering = (state: TransactionState) => ({ ...gathered, transactions: [made('gather_pot', state)] });
  expect(waits(gathering('awaiting_signatures'))).toEqual(['gather_pot', 'cosigners_to_sign']);
  expect(waits(gathering('confirmed'))).toEqual(['gather_pot', 'transaction_not_final']);
  expect(waits(gathering('expired'))).toEqual(['gather_pot', null]);
  const signedTooLate = { ...gathering('awaiting_signatures'), now: day(24) };
  expect(waits(signedTooLate)).toEqual(['gather_pot', null]);
  expect(view(signedTooLate)[1]?.status).toBe('running');
  expect(waits({ ...signedTooLate, isRotating: true })).toEqual(['end_proposals', 'rotation']);
  expect(waits({ ...gathered, isRotating: true })).toEqual(['gather_pot', 'rotation']);
  expect(waits({ ...gathered, awaitsExecution: true })).toEqual(['gather_pot', 'executions_not_final']);
  expect(waits({ ...gathering('confirmed'), isRotating: true })).toEqual(['gather_pot', 'transaction_not_final']);
  for (const hold of ['quarantined', 'repeated_failures', 'unjustified_transaction'] as const)
    expect(waits({ ...gathering('submitted'), holds: ['stale_price', hold] })).toEqual(['gather_pot', hold]);
  expect(waits(claiming)).toEqual(['claims', 'claim_deadline']);
  expect(waits({ ...claiming, awaitsExecution: true })).toEqual(['claims', 'executions_not_final']);
  expect(waits({ ...claiming, hasOwnerlessAssets: true })).toEqual(['claims', 'assets_without_recipient']);
  expect(waits({ ...claiming, now: day(28), awaitsClaim: true })).toEqual(['claims', 'claims_not_final']);
  const missing = view(begun).map(({ reason }) => reason);
  expect(missing).toEqual([null, null, null, null, 'no_recipient', null]);
  expect(view({ ...claiming, isLiquidityElsewhere: true })[1]).toMatchObject({ reason: 'liquidity_share_elsewhere' });
});

test('a step shows its newest transaction, how many are final, and when it was done', () => {
  const transactions = [made('gather_pot', 'final', 'a1'), made('gather_pot', 'awaiting_signatures', 'a2')];
  expect(view({ ...gathered, transactions })[1]).toEqual({
    name: 'gather_pot',
    status: 'waiting_for_cosigners',
    transactionHash: 'a2',
    finalTransactions: 1,
    reason: 'cosigners_to_sign',
    at,
  });
  const times = view({ ...claimed, transactions: [], terminatedAt: day(30) }).map((step) => step.at);
  expect(times).toEqual([day(22), at, null, day(28), null, day(30)]);
});

test('a vault that was never settled ends by returning its deposits', () => {
  const returning = { newest: null, finalTransactions: 0, holds: [], terminatedAt: null };
  expect(viewReturnStep(returning)).toMatchObject({ name: 'return_deposits', status: 'running', reason: null });
  const newest = { hash: 'a1', state: 'submitted', at } as const;
  expect(viewReturnStep({ ...returning, newest })).toMatchObject({ reason: 'transaction_not_final' });
  expect(viewReturnStep({ ...returning, newest, holds: ['quarantined'] })).toMatchObject({ reason: 'quarantined' });
  const final = {
    ...returning,
    newest: { ...newest, state: 'final' as const },
    finalTransactions: 3,
    terminatedAt: at,
  };
  expect(viewReturnStep(final)).toEqual({
    name: 'return_deposits',
    status: 'done',
    transactionHash: 'a1',
    finalTransactions: 3,
    reason: null,
    at,
  });
  expect(viewReturnStep({ ...returning, terminatedAt: at })).toMatchObject({
    status: 'skipped',
    reason: 'nothing_left',
  });
});
