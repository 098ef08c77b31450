import { ServiceError } from '../../platform/errors/errors.ts';
import { type Lovelace, lovelace } from '../../platform/units/money.ts';
import type { ChainContext, ProtocolParameters } from '../ledger/parameters.ts';
import type { NativeScript } from '../scripts/native-script.ts';
import type { BuiltTransaction, KeyHash, Unit, Utxo } from '../transaction.ts';
import { selectUtxos } from './coin-selection.ts';
import type { DraftOutput } from './draft.ts';
import { buildBalanced, type Payer } from './funding.ts';
import { splitIntoOutputs, smallestOutputs } from './outputs.ts';
import { sumHoldings } from './values.ts';

/** Where the pot of a vault is, and its outputs. */
export interface PotOutputs {
  /** See `claimsScript`. */
  readonly script: NativeScript;
  readonly address: string;
  readonly vaultKeyHash: KeyHash;
  /** Those that no transaction holds, in the order in which they are tried. */
  readonly free: readonly Utxo[];
}

export interface Claim {
  /** Returns the tokens, pays the fee and gets the payout. */
  readonly holder: Payer;
  readonly pot: PotOutputs;
  readonly ftUnit: Unit;
  /** Base units that return to the pot. */
  readonly amount: bigint;
  readonly payout: Lovelace;
  readonly ttlSlot: number;
}

/**
 * The holder returns tokens and is paid out of the pot: output 0 is what is left of the spent outputs of the pot, with the tokens; the
 * holder's change has the payout. Holder and vault sign. Throws POT_IN_USE, ASSET_NOT_IN_WALLET and INSUFFICIENT_FUNDS.
 */
export function buildClaim({ parameters }: ChainContext, claim: Claim): BuiltTransaction {
  const { holder, pot, ttlSlot } = claim;
  // Else the tokens in the pot would count as the holder's when some are missing.
  selectUtxos(holder.utxos, new Map([[claim.ftUnit, claim.amount]]));
  const spent = selectPotOutputs(parameters, claim);
  return buildBalanced(parameters, holder, {
    fixedInputs: spent.map((utxo) => ({ utxo, script: pot.script })),
    outputs: splitIntoOutputs(parameters, pot.address, remainder(claim, spent)),
    ttlSlot,
    cosigners: [pot.vaultKeyHash],
  });
}

/** The first output that suffices, so that the others stay free for other claims; else the largest ones. Throws POT_IN_USE. */
function selectPotOutputs(parameters: ProtocolParameters, claim: Claim): readonly Utxo[] {
  const { free } = claim.pot;
  const single = free.find((utxo) => suffices(parameters, claim, [utxo]));
  if (single) return [single];
  const spent: Utxo[] = [];
  for (const utxo of [...free].sort(largestFirst)) {
    spent.push(utxo);
    if (suffices(parameters, claim, spent)) return spent;
  }
  throw new ServiceError('POT_IN_USE');
}

/** Whether these outputs hold the payout and the min-ADA of what stays in the pot. */
function suffices(parameters: ProtocolParameters, claim: Claim, spent: readonly Utxo[]): boolean {
  if (sumHoldings(spent).lovelace < claim.payout) return false;
  const left = remainder(claim, spent);
  const [smallest] = smallestOutputs(parameters, claim.pot.address, left.assets);
  return smallest !== undefined && left.lovelace >= smallest.lovelace;
}

function remainder(
  { ftUnit, amount, payout }: Claim,
  spent: readonly Utxo[],
): Pick<DraftOutput, 'lovelace' | 'assets'> {
  const held = sumHoldings(spent);
  const tokens = (held.assets.get(ftUnit) ?? 0n) + amount;
  return { lovelace: lovelace(held.lovelace - payout), assets: new Map(held.assets).set(ftUnit, tokens) };
}

function largestFirst(a: Utxo, b: Utxo): number {
  if (a.lovelace === b.lovelace) return 0;
  return a.lovelace < b.lovelace ? 1 : -1;
}
