import { minAda } from '../../chain/build/costs.ts';
import type { DraftInput } from '../../chain/build/draft.ts';
import { sumHoldings } from '../../chain/build/values.ts';
import { claimsAddressOf } from '../../chain/scripts/script-addresses.ts';
import { type Instant, secondsAfter } from '../../domain/units/instant.ts';
import { type Lovelace, lovelace } from '../../domain/units/money.ts';
import { getTermination, type Termination } from '../../store/terminations.ts';
import type { Vault } from '../../store/vaults.ts';
import { requireFtUnit } from '../vaults/require-vault-state.ts';
import { type PotOutputs, potOutputs } from './pot-outputs.ts';
import type { TerminationContext } from './termination-transactions.ts';

/** What the last transaction of a vault spends of its pot, and how much of that stays there for those who claim late. */
interface ClosablePot {
  readonly inputs: readonly DraftInput[];
  readonly claimable: Lovelace;
}

type CountedPot = Pick<Termination, 'pot' | 'float'>;
type FoundPot = Pick<PotOutputs, 'free' | 'count' | 'lovelace'>;

const nothing: ClosablePot = { inputs: [], claimable: lovelace(0n) };

/** Less of the float than that is not worth a transaction. */
const WORTH_RETURNING = 1_000_000n;
/** So long after the deadline the float is waited for while claims land, because only between them pot and ledger are the same. */
const PATIENCE_SECONDS = 86_400;

/** What `closedOf` says of the pot of a vault; null while it says nothing, for a day at most. Throws LEDGER_UNAVAILABLE. */
export async function closablePot(
  context: TerminationContext,
  vault: Vault,
  now: Instant,
): Promise<ClosablePot | null> {
  const termination = await getTermination(context.db, vault.id);
  const [found, least] = [await potOutputs(context, vault), await leastOfPot(context, vault)];
  const closed = closedOf(termination, found, least);
  return closed ?? (mayWait(termination, now) ? null : closedUncounted(termination, found, least));
}

/**
 * What the last transaction closes of a pot: all of one that is empty but for what was rounded off; of another one the outputs that no
 * claim holds, less what every holder can still claim. `least` is the min-ADA of an output of the pot. Null while what is counted is not
 * what lies there.
 */
export function closedOf(
  { pot, float }: CountedPot,
  { free, count, lovelace: all }: FoundPot,
  least: bigint,
): ClosablePot | null {
  const uncounted = all - pot.lovelace - float;
  // What claims at the same time have rounded off is less than an output can hold, and nobody has tokens for it.
  const isEmpty = pot.lovelace === 0n || (pot.circulating === 0n && pot.lovelace < least);
  if (isEmpty && uncounted <= 0n) return { inputs: free, claimable: lovelace(0n) };
  if (uncounted !== 0n) return null;
  const held = sumHoldings(free.map(({ utxo }) => utxo)).lovelace;
  // Besides what claims hold, the rest of the pot stays, and the min-ADA of each output.
  const needed = pot.lovelace + BigInt(1 + count - free.length) * least - (all - held);
  const claimable = needed < least ? least : needed;
  return held - claimable < WORTH_RETURNING ? nothing : { inputs: free, claimable: lovelace(claimable) };
}

/**
 * What the last transaction closes of a pot in which more lies than is counted, such as what a hand-over brought that a worker of an
 * earlier release has made final. The operator gets its float; the rest stays. Nothing is closed of a pot in which less lies.
 */
export function closedUncounted({ pot, float }: CountedPot, found: FoundPot, least: bigint): ClosablePot {
  const held = found.lovelace - float;
  return held < pot.lovelace
    ? nothing
    : (closedOf({ pot: { ...pot, lovelace: lovelace(held) }, float }, found, least) ?? nothing);
}

function mayWait({ claimDeadline }: Termination, now: Instant): boolean {
  return claimDeadline === null || now < secondsAfter(claimDeadline, PATIENCE_SECONDS);
}

/** The min-ADA of an output with all that the pot may have. */
async function leastOfPot({ networkState, networkId }: TerminationContext, vault: Vault): Promise<bigint> {
  const { address } = claimsAddressOf(vault, networkId);
  const assets = new Map([[requireFtUnit(vault), BigInt(vault.terms.ftSupply)]]);
  return minAda((await networkState()).parameters, { address, lovelace: lovelace(2n ** 40n), assets });
}
