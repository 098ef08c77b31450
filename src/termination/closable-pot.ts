import { type ClosablePot, closedOf, closedUncounted } from '../cardano/build/closed-pot.ts';
import { minAda } from '../cardano/build/costs.ts';
import { claimsAddressOf } from '../cardano/scripts/script-addresses.ts';
import { type Instant, secondsAfter } from '../platform/units/instant.ts';
import { lovelace } from '../platform/units/money.ts';
import { getTermination, type Termination } from './queries/terminations.ts';
import type { Vault } from '../vaults/queries/vaults.ts';
import { requireFtUnit } from '../vaults/require-vault-state.ts';
import { potOutputs } from './pot-outputs.ts';
import type { TerminationContext } from './termination-transactions.ts';

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

function mayWait({ claimDeadline }: Termination, now: Instant): boolean {
  return claimDeadline === null || now < secondsAfter(claimDeadline, PATIENCE_SECONDS);
}

/** The min-ADA of an output with all that the pot may have. */
async function leastOfPot({ networkState, networkId }: TerminationContext, vault: Vault): Promise<bigint> {
  const { address } = claimsAddressOf(vault, networkId);
  const assets = new Map([[requireFtUnit(vault), BigInt(vault.terms.ftSupply)]]);
  return minAda((await networkState()).parameters, { address, lovelace: lovelace(2n ** 40n), assets });
}
