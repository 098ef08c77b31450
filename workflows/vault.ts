import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { Failure, VaultSchedule } from '../src/temporal/activities.ts';
import type { VaultInput } from '../src/temporal/messages.ts';
import { preparation, vaults } from './activities.ts';
import { allLand, lands } from './landing.ts';
import { trackProgress, type Progress } from './progress.ts';

const THE_DEADLINE = 'the settlement deadline';

/** The clock and state machine of a vault. Its facts are in Postgres; started again, it goes on from them. */
export async function vault(input: VaultInput): Promise<Failure> {
  const { vaultId } = input;
  const story = trackProgress(input, ['transactionChanged', 'cancelRequested', 'pricesChanged', 'liquidationDecided']);
  const at = () => ({ vaultId, now: story.now() });

  const schedule = await vaults.readSchedule({ vaultId });
  story.setVaultStatus(schedule.status);
  const created = lands(story, 'the creation transaction', () => preparation.prepareCreation(at()));
  const failure = (await windowsEnd(story, vaultId, schedule)) ?? (await planned(story, vaultId, schedule));
  // What was deposited goes back even if the creation never gets onto the ledger.
  if (failure !== null) return refund(story, vaultId, failure);
  story.setDetails('The settlement is planned. Waiting for the creation transaction to land.');
  await created;

  for (;;) {
    story.setPhase('settlement', 'Minting the fractional tokens.', schedule.settlesBy);
    const minted = await lands(story, 'the mint', () => preparation.prepareMint(at()));
    if (minted === 'nothing') return refund(story, vaultId, { reason: 'settlement_deadline' });

    story.setPhase('settlement', 'Delivering fractional tokens and ADA to investors and contributors, in batches.');
    await allLand(story, 'a delivery', () => preparation.prepareDelivery(at()));
    await lands(story, 'the liquidity share', () => preparation.prepareLiquidity(at()));
    await governance(story, input);
  }
}

/** Each window opens and closes at its instant, whatever else is going on; a cancel ends the wait. */
async function windowsEnd(story: Progress, vaultId: string, schedule: VaultSchedule): Promise<Failure | null> {
  let pricing: Promise<Failure | null> = Promise.resolve(null);
  for (const { window, turn, at } of schedule.turns) {
    const event = `the ${window} window ${turn}s`;
    story.setPhase(`${window}_window_${turn}s`, `Waiting until ${event}.`, at);
    const asked = await story.waitUntil(event, at, () => failureOf(story, vaultId));
    const failure = asked === 'due' ? await vaults.turnWindow({ vaultId, window, turn, now: story.now() }) : asked;
    if (failure !== null) return failure;
    // Prices are taken when the asset window closes (design D12); waiting for them must not delay the other window.
    if (window === 'asset' && turn === 'close') pricing = pricesAreFixed(story, vaultId, schedule);
  }
  story.setPhase('pricing', 'Both windows are over. Waiting for fresh prices of every asset.', schedule.settlesBy);
  return pricing;
}

function pricesAreFixed(story: Progress, vaultId: string, { settlesBy }: VaultSchedule): Promise<Failure | null> {
  return beforeDeadline(
    story.waitUntil(THE_DEADLINE, settlesBy, async () => {
      return (await failureOf(story, vaultId)) ?? vaults.priceAssets({ vaultId, now: story.now() });
    }),
  );
}

/** Once every deposit is final the plan of the settlement is made and stored, or there is a reason why not. */
async function planned(story: Progress, vaultId: string, { settlesBy }: VaultSchedule): Promise<Failure | null> {
  story.setPhase('finality', 'Both windows are over. Waiting until every deposit is final.', settlesBy);
  const failure = await beforeDeadline(
    story.waitUntil(THE_DEADLINE, settlesBy, async () => {
      return (await failureOf(story, vaultId)) ?? vaults.depositsAreFinal({ vaultId });
    }),
  );
  return failure ?? vaults.planSettlement({ vaultId, now: story.now() });
}

async function beforeDeadline(wait: Promise<Failure | true | 'due'>): Promise<Failure | null> {
  const end = await wait;
  if (end === 'due') return { reason: 'settlement_deadline' };
  return end === true ? null : end;
}

/** Why the vault is to end, if it is. */
async function failureOf(story: Progress, vaultId: string): Promise<Failure | null> {
  const standing = await vaults.readFailure({ vaultId });
  if (standing === null) return null;
  story.setVaultStatus(standing.status);
  return standing.reason === null ? null : { reason: standing.reason };
}

/** Everything goes back: assets to their contributors, ADA to its investors. */
async function refund(story: Progress, vaultId: string, { reason }: Failure): Promise<Failure> {
  await vaults.failVault({ vaultId, reason, now: story.now() });
  story.setPhase('refund', `The vault failed (${reason}). Waiting until no deposit can land any more.`);
  await story.waitFor(() => vaults.depositsAreFinal({ vaultId }));

  story.setPhase('refund', `The vault failed (${reason}). Returning every deposit to its owner, in batches.`);
  await story.waitFor(async () => {
    await allLand(story, 'a refund', () => preparation.prepareRefund({ vaultId, now: story.now() }));
    const stage = await vaults.terminateVault({ vaultId, reason, now: story.now() });
    return stage === 'refunding' ? null : stage;
  });
  story.setVaultStatus('TERMINATED');
  story.setPhase('ended', `Terminated: ${reason}. Everything is back with its owners.`);
  return { reason };
}

/**
 * The vault is LOCKED, except while a rollback has taken one of its settlement transactions off the ledger. Ends when one of
 * them cannot land again: then the settlement goes on from what is left of it.
 */
async function governance(story: Progress, input: VaultInput): Promise<void> {
  story.setPhase('governance', 'Settled. The fractional tokens are with their holders.');
  await story.waitFor(async () => {
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof vault>(input);
    const { status, undone } = await vaults.lockVault({ vaultId: input.vaultId, now: story.now() });
    story.setVaultStatus(status);
    return undone || null;
  });
}
