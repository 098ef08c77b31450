import { ownGuards } from '../cardano/scripts/own-guards.ts';
import type { NetworkId } from '../cardano/transaction.ts';
import { secondsForOneSale } from '../proposals/rules/allowed-actions.ts';
import { isOpen, type TransactionKind } from '../transactions/rules.ts';
import { isoText, secondsAfter } from '../platform/units/time.ts';
import type { ChainTransaction } from '../transactions/queries/transactions.ts';
import type { Transaction } from '../platform/database/database.ts';
import { lockTermination, openClaims, type Termination } from './queries/terminations.ts';
import { vaultAssets } from '../assets/queries/listed-assets.ts';
import { vaultTransactions } from '../transactions/queries/listed-transactions.ts';
import { getVault, type Vault } from '../vaults/queries/vaults.ts';
import type { ServiceContext } from '../context.ts';
import { phaseDurations } from '../proposals/proposal-settings.ts';
import { platformEventFields, publish } from '../events/publish.ts';
import { requireFtUnit } from '../vaults/require-vault.ts';
import { potOfClaims } from './pot.ts';

/** What has to be final before holders can claim, and what else changes the pot. */
const GATHERING_KINDS: readonly TransactionKind[] = ['liquidity', 'gather_pot', 'hand_over'];
const POT_KINDS: readonly TransactionKind[] = [...GATHERING_KINDS, 'execute', 'pay_remainder'];

/**
 * Lets holders claim their share of what was gathered, once all of it is final. Returns whether they can claim: a rollback may have undone
 * what was final a moment before, and a pot without it would stay too small for good. Their time begins now, not when a workflow has asked.
 */
export async function openClaimsOf(
  { unitOfWork, networkId, durationBounds }: Pick<ServiceContext, 'unitOfWork' | 'networkId' | 'durationBounds'>,
  vaultId: string,
): Promise<boolean> {
  return unitOfWork(async (context) => {
    const termination = await lockTermination(context.tx, vaultId);
    if (!termination || termination.claimsOpenedAt !== null) return true;
    const vault = await getVault(context.tx, vaultId);
    const made = await vaultTransactions(context.tx, vaultId, POT_KINDS);
    const final = made.filter(({ state }) => state === 'final');
    const isGathering = made.some(({ kind, state }) => GATHERING_KINDS.includes(kind) && isOpen(state));
    if (final.every(({ kind }) => kind !== 'gather_pot') || isGathering) return false;
    const { pot, float } = await potOfClaims(context.tx, made, vault, networkId);
    const claimDeadline = secondsAfter(
      context.now,
      await claimSecondsOf(context.tx, vault, termination, durationBounds),
    );
    const isLiquidityElsewhere = paysOthers(
      final.filter(({ kind }) => kind === 'liquidity'),
      vault,
      networkId,
    );
    await openClaims(context, vaultId, { pot, float, claimDeadline, isLiquidityElsewhere });
    const data = {
      potLovelace: pot.lovelace.toString(),
      circulatingFtBaseUnits: pot.circulating.toString(),
      claimDeadline: isoText(claimDeadline),
    };
    const source = { ...platformEventFields(vaultId), transactionHash: null };
    await publish(context, { event: { type: 'CLAIMS_OPENED', ...source, data } });
    return true;
  });
}

/** Whether one of these transactions has paid tokens of the vault to an address that is not its own. */
function paysOthers(transactions: readonly ChainTransaction[], vault: Vault, networkId: NetworkId): boolean {
  const ftUnit = requireFtUnit(vault);
  const own = new Set(ownGuards(vault, networkId).map(({ address }) => address));
  return transactions.some(({ outputs }) =>
    outputs.some(({ address, assets }) => assets.has(ftUnit) && !own.has(address)),
  );
}

/** How long holders can claim: as was decided or, while there is something to sell, as long as one sale takes, if that is longer. */
async function claimSecondsOf(
  tx: Transaction,
  vault: Vault,
  { claimSeconds }: Termination,
  bounds: ServiceContext['durationBounds'],
): Promise<number> {
  if ((await vaultAssets(tx, vault.id, ['LOCKED'])).length === 0) return claimSeconds;
  const { voting, lock, execution } = bounds;
  const longest = { voting: voting.max, lock: lock.max, execution: execution.max };
  return Math.max(claimSeconds, secondsForOneSale(phaseDurations(vault, {}, bounds), longest));
}
