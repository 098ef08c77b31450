import { sumHoldings } from '../../cardano/build/values.ts';
import type { Utxo } from '../../cardano/transaction.ts';
import { ServiceError } from '../../platform/errors/errors.ts';
import { type BaseUnits, baseUnits } from '../../platform/units/money.ts';
import { parseFtAmount } from '../../vaults/rules/ft-amount.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';
import { excludeLeased } from '../../transactions/queries/utxo-leases.ts';
import type { Vault } from '../../vaults/queries/vaults.ts';
import type { Actor } from '../../access/actor.ts';
import { unpromisedUtxos } from '../../transactions/unpromised-utxos.ts';
import { requireFtUnit } from '../../vaults/require-vault-state.ts';

interface RequestedAmount {
  /** Whole tokens; all that the wallet has when absent. */
  readonly amount: number | string | undefined;
  readonly holder: Actor;
  /** Of the wallet. */
  readonly utxos: readonly Utxo[];
}

/**
 * The base units to claim for: those that the request names, or all in outputs of the wallet that no transaction of its own holds. Throws
 * INVALID_QUANTITY and ASSET_NOT_IN_WALLET.
 */
export async function claimedAmount(
  context: TransactionContext,
  vault: Vault,
  { amount, holder, utxos }: RequestedAmount,
): Promise<BaseUnits> {
  if (amount !== undefined) return parseFtAmount(amount, vault.terms);
  const unit = requireFtUnit(vault);
  const free = await excludeLeased(context.tx, await unpromisedUtxos(context, holder, utxos));
  const held = sumHoldings(free).assets.get(unit) ?? 0n;
  if (held > 0n) return baseUnits(held);
  const details = { unit, required: '1', available: '0', wallet: holder.address };
  throw new ServiceError('ASSET_NOT_IN_WALLET', details);
}
