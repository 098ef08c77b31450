import { lovelace } from '../../domain/units/money.ts';
import { splitIntoOutputs, smallestOutputs } from './outputs.ts';
import { sumHoldings, subtractAssets } from './values.ts';
import { type Custody, custodyOutputs, custodyInputs, custodySigners } from './custody.ts';
import type { DraftInput, DraftOutput } from './draft.ts';
import { buildBalanced, type Payer } from './funding.ts';
import { selectUtxos } from './coin-selection.ts';
import type { ChainContext, ProtocolParameters } from '../ledger/parameters.ts';
import type { BuiltTransaction, KeyHash, Unit, Utxo } from '../transaction.ts';

interface AssetMove {
  readonly custody: Custody;
  readonly assets: ReadonlyMap<Unit, bigint>;
  /** Pays the fee, and min-ADA beyond what the spent UTxOs hold. */
  readonly payer: Payer;
  readonly ttlSlot: number;
}

export interface AssetStaking extends AssetMove {
  /** The UTxOs in custody that hold the assets. */
  readonly holding: readonly Utxo[];
  readonly stakingAddress: string;
}

export interface AssetReturn extends AssetMove {
  /** The holder of the assets at the staking address, who signs too. */
  readonly holder: Payer;
}

/**
 * Moves assets from custody to a staking address (output 0), with their min-ADA; everything else in the spent UTxOs returns to
 * custody. Vault, cosigners and payer sign. Throws INSUFFICIENT_FUNDS for the payer.
 */
export function buildAssetStaking({ parameters }: ChainContext, input: AssetStaking): BuiltTransaction {
  const { custody, holding, stakingAddress, assets } = input;
  const inputs = custodyInputs(custody, holding);
  const moved = smallestOutputs(parameters, stakingAddress, assets);
  return buildMove(parameters, input, { inputs, moved, from: custody.address });
}

/**
 * Moves assets from a staking address back to custody, one output each from output 0 on, with their min-ADA; everything else in the
 * spent UTxOs returns to the holder. Holder, vault, cosigners and payer sign. Throws ASSET_NOT_IN_WALLET for the holder and
 * INSUFFICIENT_FUNDS for the payer.
 */
export function buildAssetReturn({ parameters }: ChainContext, input: AssetReturn): BuiltTransaction {
  const { custody, holder, assets } = input;
  const inputs = selectUtxos(holder.utxos, assets).map((utxo) => ({ utxo }));
  const moved = custodyOutputs(parameters, custody, assets);
  return buildMove(parameters, input, { inputs, moved, from: holder.address, holder: holder.keyHash });
}

interface MovedOutputs {
  readonly inputs: readonly DraftInput[];
  readonly moved: readonly DraftOutput[];
  /** Address that everything that is not moved returns to. */
  readonly from: string;
  readonly holder?: KeyHash;
}

function buildMove(
  parameters: ProtocolParameters,
  { custody, payer, ttlSlot }: AssetMove,
  { inputs, moved, from, holder }: MovedOutputs,
): BuiltTransaction {
  const { cosigners, enforcedSigners } = custodySigners(custody);
  return buildBalanced(parameters, payer, {
    fixedInputs: inputs,
    outputs: withRemainder(parameters, { inputs, moved, from }),
    ttlSlot,
    cosigners: holder === undefined ? cosigners : [...cosigners, holder],
    enforcedSigners,
  });
}

/** Returns what is not moved. ADA below the min-ADA of an output of its own moves with the assets. */
function withRemainder(parameters: ProtocolParameters, { inputs, moved, from }: MovedOutputs): DraftOutput[] {
  const held = sumHoldings(inputs.map(({ utxo }) => utxo));
  const leaving = sumHoldings(moved);
  const assets = subtractAssets(held.assets, leaving.assets);
  const rest = held.lovelace - leaving.lovelace;
  const smallest = smallestOutputs(parameters, from, assets);
  if (rest >= sumHoldings(smallest).lovelace)
    return [...moved, ...splitIntoOutputs(parameters, from, { lovelace: lovelace(rest), assets })];
  if (assets.size > 0) return [...moved, ...smallest];
  const [first, ...others] = moved;
  if (!first || rest <= 0n) return [...moved];
  return [{ ...first, lovelace: lovelace(first.lovelace + rest) }, ...others];
}
