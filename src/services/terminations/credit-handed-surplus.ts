import { hasEnded } from '../../domain/transaction/transaction-state.ts';
import { paidOut } from '../../store/claims.ts';
import type { ChainTransaction } from '../../store/chain-transactions.ts';
import { isVaultInQuarantine } from '../../store/quarantine.ts';
import { changePot, lockTermination } from '../../store/terminations.ts';
import { vaultTransactions } from '../../store/vault-transactions.ts';
import type { Vault } from '../../store/vaults.ts';
import { publishClaimsChange } from './publish-claims-change.ts';
import { handedIn, proceedsOf, recordedPot } from './recorded-pot.ts';
import type { TerminationContext } from './termination-transactions.ts';

const isFinal = ({ state }: Pick<ChainTransaction, 'state'>) => state === 'final';

/**
 * Counts what final hand-overs have brought into an open pot and is not counted in it: a worker of an earlier release, which knows of no
 * such ADA, has made them final or opened the claims. What is counted follows from the recorded transactions and the claims, so this
 * changes nothing a second time.
 */
export async function creditHandedSurplus(
  { db, unitOfWork, networkId }: Pick<TerminationContext, 'db' | 'unitOfWork' | 'networkId'>,
  vault: Vault,
): Promise<void> {
  const handOvers = await vaultTransactions(db, vault.id, ['hand_over']);
  if (handedIn(handOvers.filter(isFinal), vault) === 0n) return;
  await unitOfWork(async (context) => {
    const { tx } = context;
    // Whatever changes the pot changes the rows that are read here in the same transaction.
    const termination = await lockTermination(tx, vault.id);
    if (!termination?.claimsOpenedAt || (await isVaultInQuarantine(tx, vault.id))) return;
    const made = await vaultTransactions(tx, vault.id, ['gather_pot', 'hand_over', 'pay_remainder', 'execute']);
    const unended = made.filter(({ state }) => !hasEnded(state));
    if (unended.some((one) => one.kind === 'pay_remainder' || (one.kind === 'gather_pot' && !isFinal(one)))) return;
    const final = made.filter(isFinal);
    const { pot, handed } = recordedPot(final, vault, networkId);
    const paid = await paidOut(tx, vault.id);
    const brought = pot.lovelace + proceedsOf(final, vault, networkId) - paid.lovelace;
    const uncounted = brought - termination.pot.lovelace;
    if (uncounted <= 0n) return;
    const credited = await changePot(tx, vault.id, { lovelace: uncounted < handed ? uncounted : handed });
    await publishClaimsChange(context, credited, { hash: null });
  });
}
