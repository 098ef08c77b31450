import { ServiceError } from '../../platform/errors/errors.ts';
import type { Lovelace } from '../../platform/units/money.ts';
import { TooManyInputs } from './coin-selection.ts';
import { buildBalanced, type Payer } from './funding.ts';
import type { ChainContext } from '../ledger/parameters.ts';
import type { BuiltTransaction, Unit } from '../transaction.ts';

export interface AddAssets {
  readonly owner: Payer;
  readonly depositAddress: string;
  readonly assets: readonly AddedAsset[];
  /** For each asset. */
  readonly deliveryDeposit: Lovelace;
  readonly ttlSlot: number;
}

export interface AddedAsset {
  readonly unit: Unit;
  /** Base units. */
  readonly quantity: bigint;
}

/**
 * The owner sends assets to their deposit address, from output 0 on: one output for each, in this order, because each leaves alone.
 * Throws ASSET_NOT_IN_WALLET, INSUFFICIENT_FUNDS, and ASSETS_DO_NOT_FIT with the number that fits.
 */
export function buildAddAssets(chain: ChainContext, input: AddAssets): BuiltTransaction {
  const { assets } = input;
  try {
    return buildWith(chain, input, assets);
  } catch (cause) {
    if (!(cause instanceof TooManyInputs) || assets.length === 1) throw cause;
    const fitting = fittingCount(assets.length, (count) => fits(chain, input, assets.slice(0, count)));
    throw new ServiceError('ASSETS_DO_NOT_FIT', { requested: assets.length, fitting }, { cause });
  }
}

function buildWith(
  { parameters }: ChainContext,
  { owner, depositAddress, deliveryDeposit, ttlSlot }: AddAssets,
  assets: readonly AddedAsset[],
): BuiltTransaction {
  const outputs = assets.map(({ unit, quantity }) => ({
    address: depositAddress,
    lovelace: deliveryDeposit,
    assets: new Map([[unit, quantity]]),
  }));
  return buildBalanced(parameters, owner, { outputs, ttlSlot });
}

function fits(chain: ChainContext, input: AddAssets, assets: readonly AddedAsset[]): boolean {
  try {
    buildWith(chain, input, assets);
    return true;
  } catch (cause) {
    if (cause instanceof TooManyInputs) return false;
    throw cause;
  }
}

/** The largest number below `count` that fits, zero when none does. */
function fittingCount(count: number, isFitting: (count: number) => boolean): number {
  let [most, tooMany] = [0, count];
  while (tooMany - most > 1) {
    const middle = Math.floor((most + tooMany) / 2);
    if (isFitting(middle)) most = middle;
    else tooMany = middle;
  }
  return most;
}
