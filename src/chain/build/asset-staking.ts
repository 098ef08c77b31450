import { lovelace } from '../../domain/units/money.ts';
import { splitIntoOutputs, smallestOutputs, sumHoldings } from './balance.ts';
import { type Custody, custodyOutputs, custodyInputs, subtractAssets } from './custody.ts';
import type { DraftInput, DraftOutput } from './draft.ts';
import { buildFunded, type Payer, selectUtxos } from './funding.ts';
import type { ChainContext, ProtocolParameters } from '../ledger/parameters.ts';
import type { BuiltTransaction, KeyHash, Unit, Utxo } from '../transaction.ts';

interface AssetMove {
  readonly custody: Custody;
  readonly assets: ReadonlyMap<Unit, bigint>;
  /** Pays the fee, and min-ADA that does not lie with the assets. */
  readonly payer: Payer;
  readonly ttlSlot: number;
}

export interface AssetStaking extends AssetMove {
  /** The UTxOs in custody that hold the assets. */
  readonly holding: readonly Utxo[];
  readonly stakingAddress: string;
}

export interface AssetReturn extends AssetMove {
  /** Whoever holds the assets at the staking address, and signs. */
  readonly holder: Payer;
}

/**
 * Assets out of custody to a staking address (output 0), with the min-ADA they lie with; what lies beside them stays. Vault and
 * cosigners sign, and whoever pays. Raises INSUFFICIENT_FUNDS for the payer.
 */
export function buildAssetStaking({ parameters }: ChainContext, input: AssetStaking): BuiltTransaction {
  const { custody, holding, stakingAddress, assets } = input;
  const brought = custodyInputs(custody, holding);
  const moved = smallestOutputs(parameters, stakingAddress, assets);
  return buildMove(parameters, input, { brought, moved, from: custody.address });
}

/**
 * Assets from a staking address back into custody, one output each from output 0 on, with their min-ADA; what lies beside them stays
 * with the holder. He, vault and cosigners sign, and whoever pays. Raises ASSET_NOT_IN_WALLET for the holder and INSUFFICIENT_FUNDS for the payer.
 */
export function buildAssetReturn({ parameters }: ChainContext, input: AssetReturn): BuiltTransaction {
  const { custody, holder, assets } = input;
  const brought = selectUtxos(holder.utxos, assets).map((utxo) => ({ utxo }));
  const moved = custodyOutputs(parameters, custody, assets);
  return buildMove(parameters, input, { brought, moved, from: holder.address, holder: holder.keyHash });
}

interface Moved {
  readonly brought: readonly DraftInput[];
  readonly moved: readonly DraftOutput[];
  /** Where what is not moved goes back to. */
  readonly from: string;
  readonly holder?: KeyHash;
}

function buildMove(
  parameters: ProtocolParameters,
  { custody, payer, ttlSlot }: AssetMove,
  { brought, moved, from, holder }: Moved,
): BuiltTransaction {
  const namedSigners = [custody.vaultKeyHash, ...custody.cosigners];
  return buildFunded(parameters, payer, {
    brought,
    outputs: withTheRest(parameters, { brought, moved, from }),
    ttlSlot,
    cosigners: holder === undefined ? namedSigners : [...namedSigners, holder],
    namedSigners,
  });
}

/** What was beside the assets goes back; ADA too little to lie alone goes with them. */
function withTheRest(parameters: ProtocolParameters, { brought, moved, from }: Moved): DraftOutput[] {
  const held = sumHoldings(brought.map(({ utxo }) => utxo));
  const taken = sumHoldings(moved);
  const assets = subtractAssets(held.assets, taken.assets);
  const rest = held.lovelace - taken.lovelace;
  const beside = smallestOutputs(parameters, from, assets);
  if (rest >= sumHoldings(beside).lovelace)
    return [...moved, ...splitIntoOutputs(parameters, from, { lovelace: lovelace(rest), assets })];
  if (assets.size > 0) return [...moved, ...beside];
  const [first, ...others] = moved;
  if (!first || rest <= 0n) return [...moved];
  return [{ ...first, lovelace: lovelace(first.lovelace + rest) }, ...others];
}
