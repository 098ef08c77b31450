import { ApplicationFailure, Context } from '@temporalio/activity';
import { vaultAddresses } from '../src/chain/scripts/vault-addresses.ts';
import { wallClock } from '../src/domain/units/clock.ts';
import { type Instant, secondsAfter } from '../src/domain/units/instant.ts';
import { recordReclaimedStake, stakesOwnersMayTake } from '../src/services/stakes/reclaimed-stakes.ts';
import {
  type FoundOutput,
  insertUnsolicited,
  listedRefs,
  markPresent,
  excludeOwnOutputs,
} from '../src/store/unsolicited.ts';
import { vaultParticipants, vaultsOnLedger } from '../src/store/unsolicited-listing.ts';
import type { Vault } from '../src/store/vaults.ts';
import type { UnsolicitedActivities } from '../src/temporal/activities.ts';
import type { WorkerDeps } from './deps.ts';
import { findSpendingTransaction } from './whereabouts.ts';
import { refText } from '../src/domain/transaction/utxo-ref.ts';

const VAULTS_AT_ONCE = 20;
/** A page ends where it is after this, before its time is up (workflows/activities.ts). */
const LOOK_SECONDS = 600;

type Deps = Pick<WorkerDeps, 'db' | 'unitOfWork' | 'ids' | 'ledger' | 'networkId' | 'confirmationDepth'>;

/** Looks for what nobody was asked to send, and for what owners took back without asking. */
export function createUnsolicitedActivities(deps: Deps): UnsolicitedActivities {
  return {
    async lookForUnsolicited({ after: cursor }) {
      const { info, log } = Context.current();
      const { last, failed } = readCursor(cursor);
      const now = await deps.unitOfWork((work) => Promise.resolve(work.now));
      const vaults = await vaultsOnLedger(deps.db, last, VAULTS_AT_ONCE, now);
      const { looked, failures } = await lookAtEach(deps, vaults, now);
      for (const [vaultId, error] of failures) log.warn('a vault could not be looked at', { vaultId, error });

      const missed = [...failed, ...failures.keys()];
      const told = [`could not look at ${missed.join(', ')}`, ...failures.values()].join('; ');
      // What fails for a moment is tried again at once; where everything fails it is the ledger that is away.
      if (failures.size > 0 && (info.attempt === 1 || failures.size === looked.length)) throw new Error(told);
      if (looked.length === VAULTS_AT_ONCE || looked.length < vaults.length)
        return writeCursor({ last: looked.at(-1)?.id ?? null, failed: missed });
      if (missed.length > 0) throw ApplicationFailure.nonRetryable(told);
      return null;
    },
  };
}

/** Where a look stands: the last vault it has been at, and those it could not look at. */
interface Standing {
  readonly last: string | null;
  readonly failed: readonly string[];
}

function readCursor(cursor: string | null): Standing {
  const [last = null, ...failed] = cursor?.split(' ') ?? [];
  return { last, failed };
}

function writeCursor({ last, failed }: Standing): string {
  return [last, ...failed].join(' ');
}

/** Looks at one after the other while there is time, the later ones too when an earlier one fails. */
async function lookAtEach(deps: Deps, vaults: readonly Vault[], now: Instant) {
  const end = secondsAfter(wallClock.now(), LOOK_SECONDS);
  const looked: Vault[] = [];
  const failures = new Map<string, unknown>();
  for (const vault of vaults) {
    try {
      await lookAt(deps, vault, now);
    } catch (error) {
      failures.set(vault.id, error);
    }
    looked.push(vault);
    if (wallClock.now() > end) break;
  }
  return { looked, failures };
}

async function lookAt(deps: Deps, vault: Vault, now: Instant): Promise<void> {
  const { db, ledger, networkId, unitOfWork } = deps;
  const unspent: FoundOutput[] = [];
  for (const place of vaultAddresses(vault, await vaultParticipants(db, vault.id, now), networkId)) {
    unspent.push(...(await ledger.utxos(place.address)).map((utxo) => ({ utxo, place })));
  }
  await findReclaimedStakes(deps, vault, new Set(unspent.map(({ utxo }) => refText(utxo))), now);
  const listed = await listedRefs(db, vault.id);
  // After the ledger was asked: ours are recorded before they are sent, so none of what it showed can be missing here.
  const fresh = await excludeOwnOutputs(
    db,
    unspent.filter(({ utxo }) => !listed.has(refText(utxo))),
  );
  const lasting = await finalOnes(deps, fresh);
  if (lasting.length === 0 && listed.size === 0) return;
  await unitOfWork(async ({ tx, now }) => {
    await insertUnsolicited(tx, vault.id, lasting, now);
    const present = unspent.map(({ utxo }) => utxo);
    await markPresent(tx, vault.id, present, now);
  });
}

/** Puts down which stakes have left by transactions of their owners that are final. */
async function findReclaimedStakes(
  deps: Deps,
  vault: Vault,
  unspent: ReadonlySet<string>,
  now: Instant,
): Promise<void> {
  for (const output of await stakesOwnersMayTake(deps.db, vault.id, now)) {
    if (unspent.has(refText(output))) continue;
    const found = await findSpendingTransaction(deps, output);
    if (found.kind !== 'spent' || !found.isFinal) continue;
    const { stakeId } = output;
    await deps.unitOfWork(({ tx, now: at }) =>
      recordReclaimedStake({ tx, ids: deps.ids, now: at }, stakeId, found.spender),
    );
  }
}

/** Those whose block is as deep as this network needs to be sure. */
async function finalOnes({ ledger, confirmationDepth }: Deps, found: readonly FoundOutput[]): Promise<FoundOutput[]> {
  if (found.length === 0) return [];
  const { height } = await ledger.latestBlock();
  const final = new Set<string>();
  for (const hash of new Set(found.map(({ utxo }) => utxo.txHash))) {
    const made = await ledger.transaction(hash);
    if (made && made.blockHeight <= height - confirmationDepth + 1) final.add(hash);
  }
  return found.filter(({ utxo }) => final.has(utxo.txHash));
}
