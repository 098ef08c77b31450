import { continueAsNew } from '@temporalio/workflow';
import type { Instant } from '../src/platform/units/time.ts';
import type { Failure, VaultSchedule, WindowTransition } from '../src/platform/temporal/activity-types.ts';
import type { VaultInput } from '../src/platform/temporal/messages.ts';
import { planning, preparation, vaults } from './activity-proxies.ts';
import { runWithBackground, type Step, untilDone } from './attempts.ts';
import { restartWhenLong } from './restart.ts';
import { submitAllUntilConfirmed, submitUntilConfirmed } from './submit.ts';
import { trackProgress, type Progress } from './progress.ts';
import { terminate } from './termination.ts';

const THE_DEADLINE = 'the settlement deadline';
const RETURNING = 'Returning deposits that do not count. Waiting until each refund is in a block.';
const MINTING = 'Minting the fractional tokens. Waiting until the mint is in a block.';
const DELIVERING = 'Delivering fractional tokens and ADA in batches. Waiting until each batch is in a block.';

/** The clock and state machine of a vault. Its state is in Postgres; started again, it continues from there. */
export async function vault(input: VaultInput): Promise<Failure> {
  const { vaultId } = input;
  const progress = trackProgress(input, [
    'transactionChanged',
    'cancelRequested',
    'pricesChanged',
    'liquidationDecided',
  ]);
  const activityInput = () => ({ vaultId, now: progress.now() });

  const schedule = await vaults.readSchedule({ vaultId });
  progress.setVaultStatus(schedule.status);
  const steps = stepsOf(vaultId, schedule.settlesBy);
  const created = submitUntilConfirmed(progress, steps('the creation transaction'), () =>
    preparation.prepareCreation(activityInput()),
  );
  return runWithBackground(live(progress, input, schedule, created), created);
}

/** The steps of a vault until its mint; the waits between their tries end at T. */
function stepsOf(vaultId: string, deadline: Instant | null) {
  return (name: string): Step => ({ vaultId, name, deadline });
}

async function live(
  progress: Progress,
  input: VaultInput,
  schedule: VaultSchedule,
  created: Promise<unknown>,
): Promise<Failure> {
  const { vaultId } = input;
  const activityInput = () => ({ vaultId, now: progress.now() });
  const failure =
    (await runWindows(progress, vaultId, schedule)) ?? (await planSettlement(progress, vaultId, schedule));
  // Deposits are returned even if the creation transaction is never confirmed.
  if (failure !== null) return refund(progress, input, failure);
  progress.setDetails(
    'The settlement is planned. Waiting until the creation transaction is in a block.',
    schedule.settlesBy,
  );
  await created;

  const [beforeMint, afterMint] = [stepsOf(vaultId, schedule.settlesBy), stepsOf(vaultId, null)];
  for (;;) {
    progress.setPhase('settlement', RETURNING, schedule.settlesBy);
    await submitAllUntilConfirmed(progress, beforeMint('a refund'), () => preparation.nextRefund(activityInput()));
    progress.setPhase('settlement', MINTING, schedule.settlesBy);
    const minted = await submitUntilConfirmed(progress, beforeMint('the mint'), () =>
      preparation.prepareMint(activityInput()),
    );
    if (minted === 'nothing') return refund(progress, input, { reason: 'settlement_deadline' });

    progress.setPhase('settlement', DELIVERING);
    await submitAllUntilConfirmed(progress, afterMint('a delivery'), () => preparation.nextDelivery(activityInput()));
    await submitUntilConfirmed(progress, afterMint('the liquidity share'), () =>
      preparation.prepareLiquidity(activityInput()),
    );
    const ended = (await governance(progress, input)) === 'terminating' ? await terminate(progress, input) : null;
    if (ended) return ended;
  }
}

/** Opens and closes each window at its instant; a cancelled vault fails at once. */
async function runWindows(progress: Progress, vaultId: string, schedule: VaultSchedule): Promise<Failure | null> {
  let pricing: Promise<Failure | null> = Promise.resolve(null);
  for (const transition of schedule.transitions) {
    const failure = await runWithBackground(runWindow(progress, vaultId, schedule, transition), pricing);
    if (failure !== null) return failure;
    // Prices are fixed when the asset window closes (design D12); waiting for them must not delay the other window.
    if (transition.window === 'asset' && transition.change === 'close')
      pricing = waitForPrices(progress, vaultId, schedule);
  }
  progress.setPhase('pricing', 'Both windows are over. Waiting for a fresh price of every asset.', schedule.settlesBy);
  return pricing;
}

async function runWindow(
  progress: Progress,
  vaultId: string,
  { settlesBy }: VaultSchedule,
  { window, change, at }: WindowTransition,
): Promise<Failure | null> {
  const event = `the ${window} window ${change}s`;
  progress.setPhase(`${window}_window_${change}s`, `Waiting until ${event}.`, at);
  const step = { vaultId, name: event, deadline: settlesBy };
  const cancelled = await untilDone(progress, step, async () => {
    const end = await progress.waitUntil(event, at, () => readFailure(progress, vaultId));
    return end === 'due' ? null : end;
  });
  if (cancelled !== null) return failWhenDue(cancelled);
  return failWhenDue(
    await untilDone(progress, step, () => planning.openOrCloseWindow({ vaultId, window, change, now: progress.now() })),
  );
}

/** Fixes the price of every asset; fails at T, also while that throws. */
function waitForPrices(progress: Progress, vaultId: string, { settlesBy }: VaultSchedule): Promise<Failure | null> {
  const step = { vaultId, name: 'the pricing', deadline: settlesBy };
  return waitUntilDeadline(progress, step, () => planning.priceAssets({ vaultId, now: progress.now() }));
}

/** Waits until `read` returns true; fails at T, also while that throws, or as soon as the vault does. */
async function waitUntilDeadline(
  progress: Progress,
  step: Step & { readonly deadline: Instant },
  read: () => Promise<true | null>,
): Promise<Failure | null> {
  const wait = () =>
    progress.waitUntil(THE_DEADLINE, step.deadline, async () => {
      return (await readFailure(progress, step.vaultId)) ?? read();
    });
  return failWhenDue(await untilDone(progress, step, wait));
}

/** Waits until every deposit is final and plans the settlement; returns the reason when the vault fails instead. */
async function planSettlement(
  progress: Progress,
  vaultId: string,
  { settlesBy }: VaultSchedule,
): Promise<Failure | null> {
  progress.setPhase('finality', 'Both windows are over. Waiting until every deposit is final.', settlesBy);
  const finality = { vaultId, name: 'the finality of the deposits', deadline: settlesBy };
  const failure = await waitUntilDeadline(progress, finality, () => planning.depositsAreFinal({ vaultId }));
  if (failure !== null) return failure;
  const step = { vaultId, name: 'the plan of the settlement', deadline: settlesBy };
  return failWhenDue(await untilDone(progress, step, () => planning.planSettlement({ vaultId, now: progress.now() })));
}

function failWhenDue(end: Failure | true | null | 'due'): Failure | null {
  if (end === 'due') return { reason: 'settlement_deadline' };
  return end === true ? null : end;
}

/** Why the vault fails; null while it does not. */
async function readFailure(progress: Progress, vaultId: string): Promise<Failure | null> {
  const current = await planning.readFailure({ vaultId });
  progress.setVaultStatus(current.status);
  return current.reason === null ? null : { reason: current.reason };
}

/** Returns every deposit: assets to their contributors, ADA to its investors. */
async function refund(progress: Progress, input: VaultInput, { reason }: Failure): Promise<Failure> {
  const { vaultId } = input;
  // Postgres was away when the deadline came, so the vault could not say that it is settled: it starts again from there.
  if ((await vaults.failVault({ vaultId, reason, now: progress.now() })) === 'minted') await continueAsNew(input);
  progress.setPhase('refund', `The vault failed (${reason}). Waiting until no deposit can reach a block any longer.`);
  const finality = { vaultId, name: 'the last deposits', deadline: null };
  await untilDone(progress, finality, () => progress.waitFor(() => planning.depositsAreFinal({ vaultId })));

  progress.setPhase(
    'refund',
    `The vault failed (${reason}). Returning every deposit in batches. Waiting until each refund is final.`,
  );
  await progress.waitFor(async () => {
    const step = { vaultId, name: 'a refund', deadline: null };
    await submitAllUntilConfirmed(progress, step, () => preparation.nextRefund({ vaultId, now: progress.now() }));
    const isSignalled = progress.watchSignals();
    const stage = await vaults.terminateVault({ vaultId, reason, now: progress.now() });
    // A deposit that has been confirmed in this instant has to go back, too.
    return stage === 'refunding' || isSignalled() ? null : stage;
  });
  progress.setVaultStatus('TERMINATED');
  progress.setPhase('ended', `Terminated: ${reason}. Every deposit was returned to its owner.`);
  return { reason };
}

/**
 * The vault is LOCKED, except while a rollback has removed one of its settlement transactions from the ledger. Ends when its end
 * is decided, and when one of them cannot be confirmed again: then the settlement continues with what is left of it.
 */
async function governance(progress: Progress, input: VaultInput): Promise<'terminating' | 'undone'> {
  progress.setPhase('governance', 'Settled. Waiting for a vote to end the vault.');
  let endsAt: Instant | null = null;
  const read = async () => {
    await restartWhenLong(input);
    const locked = await vaults.lockVault({ vaultId: input.vaultId, now: progress.now() });
    progress.setVaultStatus(locked.status);
    endsAt = locked.endsAt;
    if (locked.isTerminating) return 'terminating';
    return locked.undone ? 'undone' : null;
  };
  for (;;) {
    const found = await progress.waitFor(async () => (await read()) ?? (endsAt === null ? null : { endsAt }));
    if (typeof found === 'string') return found;
    progress.setPhase('governance', 'Settled. Waiting for its programmed end, or a vote to end it.', found.endsAt);
    const end = await progress.waitUntil('the programmed end', found.endsAt, read);
    if (end !== 'due') return end;
  }
}
