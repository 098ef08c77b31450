import { expect, test } from '@jest/globals';
import type {
  ProposalStage,
  TerminationStage,
  WindowTransition,
  RotationStage,
} from '../../src/platform/temporal/activity-types.ts';
import { type Instant, isoText } from '../../src/platform/units/time.ts';
import type { TransactionState } from '../../src/transactions/rules.ts';
import { runWorkflow } from '../stack/run-workflow.ts';
import { until } from '../stack/until.ts';
import { inState, locked, vaultActivities } from '../vault-workflow/run-vault.ts';
import { anHourAgo, CLOCK_OFFSET_MS, inAnHour, tomorrow } from '../workflows/waits.ts';

/** A state that a workflow waits in, and what an operator reads of it. */
interface State {
  readonly type: string;
  readonly input?: object;
  readonly activities: object;
  readonly details: string;
  readonly until?: Instant;
}

const wait = () => Promise.resolve({ kind: 'wait', transactionId: 'batch' });
const isSent = (name: string) => ({
  readTransaction: ({ transactionId }: { transactionId: string }) =>
    Promise.resolve(inState(transactionId.endsWith(name) ? 'submitted' : 'confirmed', tomorrow)),
});

function vault(changed: object, details: string, deadline?: Instant): State {
  const activities = { ...vaultActivities(tomorrow, {}), ...changed };
  return { type: 'vault', activities, details, ...(deadline !== undefined && { until: deadline }) };
}
const schedule = (...transitions: WindowTransition[]) => ({
  readSchedule: () => Promise.resolve({ transitions, settlesBy: tomorrow, status: 'ACTIVE' }),
});
const failed = { readFailure: () => Promise.resolve({ status: 'ACTIVE', reason: 'cancelled' }) };
const settled = (read: object) => ({ lockVault: () => Promise.resolve({ ...locked, ...read }) });

const vaultStates = {
  'a vault before its asset window': vault(
    schedule({ window: 'asset', change: 'open', at: inAnHour }),
    'Waiting until the asset window opens.',
    inAnHour,
  ),
  'a vault in its investment window': vault(
    schedule({ window: 'investment', change: 'close', at: inAnHour }),
    'Waiting until the investment window closes.',
    inAnHour,
  ),
  'a vault without prices': vault(
    { ...schedule({ window: 'asset', change: 'close', at: anHourAgo }), priceAssets: () => Promise.resolve(null) },
    'Both windows are over. Waiting for a fresh price of every asset.',
    tomorrow,
  ),
  'a vault with deposits that are not final': vault(
    { depositsAreFinal: () => Promise.resolve(null) },
    'Both windows are over. Waiting until every deposit is final.',
    tomorrow,
  ),
  'a vault whose creation is not in a block': vault(
    isSent('creation'),
    'The settlement is planned. Waiting until the creation transaction is in a block.',
    tomorrow,
  ),
  'a vault that returns what does not count': vault(
    { nextRefund: wait },
    'Returning deposits that do not count. Waiting until each refund is in a block.',
    tomorrow,
  ),
  'a vault whose mint is not in a block': vault(
    isSent('mint'),
    'Minting the fractional tokens. Waiting until the mint is in a block.',
    tomorrow,
  ),
  'a vault that delivers': vault(
    { nextDelivery: wait },
    'Delivering fractional tokens and ADA in batches. Waiting until each batch is in a block.',
  ),
  'a settled vault': vault({}, 'Settled. Waiting for a vote to end the vault.'),
  'a settled vault with a programmed end': vault(
    settled({ endsAt: tomorrow }),
    'Settled. Waiting for its programmed end, or a vote to end it.',
    tomorrow,
  ),
  'a failed vault with a deposit on its way': vault(
    { ...failed, depositsAreFinal: () => Promise.resolve(null) },
    'The vault failed (cancelled). Waiting until no deposit can reach a block any longer.',
  ),
  'a failed vault that returns its deposits': vault(
    { ...failed, nextRefund: wait },
    'The vault failed (cancelled). Returning every deposit in batches. Waiting until each refund is final.',
  ),
};

function ending(stage: Partial<TerminationStage>, details: string): State {
  const found = { prepares: false, until: null, reason: 'liquidated', ...stage };
  const advanceTermination = () => Promise.resolve(found);
  return vault({ ...settled({ isTerminating: true }), advanceTermination }, details, found.until ?? undefined);
}

const endings = {
  'an end with executions on their way': ending(
    { step: 'end_proposals' },
    'The vault is ending. Waiting until the submitted executions are final or have failed.',
  ),
  'an end that waits for a rotation': ending(
    { step: 'end_proposals', waitsFor: 'rotation' },
    'The vault is ending. Waiting until its rotation has finished.',
  ),
  'an end that gathers': ending(
    { step: 'gather_pot' },
    'Gathering the ADA and the tokens that holders share. Waiting until they are in the pot.',
  ),
  'an end that hands over': ending(
    { step: 'hand_over' },
    'Sending assets to their named wallets. Waiting until the transaction is final.',
  ),
  'an end with claims': ending(
    { step: 'claims', until: inAnHour },
    'Holders can claim their share. Waiting for the end of the claims.',
  ),
  'an end that pays the remainder': ending(
    { step: 'pay_remainder' },
    'Paying unclaimed ADA to its named wallet. Waiting until the payment is final.',
  ),
  'an end that closes': ending(
    { step: 'close_vault' },
    'Leaving only tokens without value with the vault. Waiting until the transaction is final.',
  ),
};

function proposal(stage: ProposalStage, details: string, deadline?: Instant): State {
  const activities = {
    readStage: () => Promise.resolve(stage),
    endExecution: () => Promise.resolve(stage),
    anchorTally: () => Promise.resolve(),
  };
  return { type: 'proposal', activities, details, ...(deadline !== undefined && { until: deadline }) };
}
const passed = { stage: 'passed', lockEndsAt: anHourAgo, executionEndsAt: inAnHour, isSent: false } as const;

const proposals = {
  'a draft': proposal(
    { stage: 'draft', draftExpiresAt: inAnHour },
    'Collecting endorsements. Waiting until they reach the start threshold.',
    inAnHour,
  ),
  'a vote': proposal(
    { stage: 'voting', votingEndsAt: inAnHour },
    'Voting is open. Waiting for the end of the vote.',
    inAnHour,
  ),
  'a lock phase': proposal(
    { ...passed, lockEndsAt: inAnHour, executionEndsAt: tomorrow },
    'Passed. In the lock phase, it can still be cancelled. Waiting for the end of that phase.',
    inAnHour,
  ),
  'an execution phase': proposal(passed, 'Passed and ready to be executed. Waiting for an execution.', inAnHour),
  'a late execution': proposal(
    { ...passed, executionEndsAt: anHourAgo, isSent: true },
    'The execution phase is over. Waiting until the submitted transaction is in a block or has expired.',
  ),
  'an execution that is not final': proposal(
    { stage: 'executed' },
    'Executed. Waiting until the transaction is final before the stakes are released.',
  ),
};

function rotation(stage: Partial<RotationStage>, details: string): State {
  const found = { prepares: false, until: null, ...stage };
  const activities = { advanceRotation: () => Promise.resolve(found) };
  return { type: 'rotation', activities, details, ...(found.until !== null && { until: found.until }) };
}

function transaction(state: TransactionState, expiresAt: Instant, details: string, changed: object = {}): State {
  return {
    type: 'transaction',
    input: { signing: { kind: 'invest', expiresAt } },
    activities: {
      readTransaction: () => Promise.resolve({ ...inState(state, expiresAt), ...changed }),
      submitTransaction: () => Promise.resolve({ state: 'submitted', error: null }),
    },
    details,
    ...(expiresAt > anHourAgo && { until: expiresAt }),
  };
}

const others = {
  'a rotation that is announced': rotation(
    { step: 'notice', until: inAnHour },
    'Announced. Waiting for the end of the notice.',
  ),
  'a rotation with executions on their way': rotation(
    { step: 'end_executions' },
    'Waiting until the submitted executions are final or have failed.',
  ),
  'a rotation that moves': rotation(
    { step: 'move_outputs' },
    'Moving all outputs of the vault to its new custody. Waiting until each move is final.',
  ),
  'a transaction without signatures': transaction(
    'awaiting_signatures',
    inAnHour,
    'Waiting for the signatures of the wallet.',
  ),
  'a transaction that was withdrawn': transaction(
    'awaiting_signatures',
    inAnHour,
    'Withdrawn. It accepts no signatures. Waiting until it can no longer reach a block.',
    { isWithdrawn: true },
  ),
  'a transaction that was signed too late': transaction(
    'awaiting_signatures',
    anHourAgo,
    'It was not signed in time. Waiting until it can no longer reach a block.',
  ),
  'a transaction on its way': transaction('submitted', inAnHour, 'Sent. Waiting until it is final on the ledger.'),
  'an anchor submitter': {
    type: 'anchorSubmitter',
    activities: { sendAnchors: () => Promise.resolve(null) },
    details:
      'Signing and sending the anchors of its chain in order, and rebuilding expired ones. Waiting for the next ones.',
  },
};

const ids = { vaultId: '1', proposalId: '2', rotationId: '3', anchorChainId: '4', transactionId: '5' };
const states: Readonly<Record<string, State>> = { ...vaultStates, ...endings, ...proposals, ...others };

const shows = (workflow: Awaited<ReturnType<typeof runWorkflow>>, text: string) =>
  until(async () => (await workflow.details()) === text, { what: `"${text}"`, deadlineMs: 60_000 });

test.concurrent.each(Object.entries(states))(
  '%s says what it waits for and until when, also after the development clock has moved',
  async (name, { type, input, activities, details, until: deadline }) => {
    const workflowId = name.replaceAll(' ', '-');
    await using workflow = await runWorkflow({
      type,
      workflowId,
      input: { ...ids, clockOffsetMs: CLOCK_OFFSET_MS, ...input },
      activities,
    });
    const expected = deadline === undefined ? details : `${details}\n\nUntil **${isoText(deadline)}**.`;
    await shows(workflow, expected);

    await workflow.moveTo(CLOCK_OFFSET_MS + 1_200_000);
    expect(await workflow.details()).toBe(expected);
  },
);

test('a proposal that has ended says that its result is not anchored yet', async () => {
  const anchored = Promise.withResolvers<undefined>();
  // The worker cannot stop before the activity ends.
  using _end = {
    [Symbol.dispose]() {
      anchored.resolve(undefined);
    },
  };
  await using proposal = await runWorkflow({
    type: 'proposal',
    workflowId: 'a-proposal-that-has-ended',
    input: { ...ids, clockOffsetMs: 0 },
    activities: {
      readStage: () => Promise.resolve({ stage: 'ended', outcome: 'rejected' }),
      releaseStakes: () => Promise.resolve(),
      anchorTally: () => anchored.promise,
    },
  });
  const ended = 'Ended: rejected. The stakes are released.';
  await shows(proposal, `${ended} Waiting until the result of the vote is anchored.`);
  anchored.resolve(undefined);
  expect(await proposal.handle.result()).toBe('rejected');
  expect(await proposal.details()).toBe(ended);
});

test('the follower of the ledger says that it waits for a block', async () => {
  const workflowId = 'the-follower';
  await using follower = await runWorkflow({
    type: 'ledgerFollower',
    workflowId,
    input: { held: null },
    activities: {},
  });
  const text = 'Following the ledger block by block. Waiting for the next block.';
  await shows(follower, text);
  expect(await follower.details()).toBe(text);
});
