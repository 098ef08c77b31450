import type { OwnGuard } from '../scripts/own-guards.ts';
import type { ChainContext, ProtocolParameters } from '../ledger/parameters.ts';
import type { BuiltTransaction, Unit, Utxo } from '../transaction.ts';
import { TooManyInputs } from './coin-selection.ts';
import { custodySigners } from './custody.ts';
import type { Datum, DraftOutput } from './draft.ts';
import { buildBalanced, type Payer } from './funding.ts';
import { atLeastMinAda } from './outputs.ts';

/** Outputs of a vault that go to another address of it. */
export interface CustodyMove {
  readonly utxos: readonly Utxo[];
  readonly from: OwnGuard;
  readonly to: string;
  /** What the output with this token holds besides its value. */
  readonly described: { readonly unit: Unit; readonly datum: Datum };
  /** Pays the fee. */
  readonly operator: Payer;
  readonly ttlSlot: number;
}

/**
 * Moves outputs of a vault, as many of the first as fit, each with its value: what a vault has stays as it was divided. Throws
 * INSUFFICIENT_FUNDS.
 */
export function buildCustodyMove({ parameters }: ChainContext, move: CustodyMove): BuiltTransaction {
  for (let taken = move.utxos.length; ; taken = Math.ceil(taken / 2)) {
    try {
      return buildOf(parameters, move, move.utxos.slice(0, taken));
    } catch (error) {
      if (!(error instanceof TooManyInputs) || taken === 1) throw error;
    }
  }
}

function buildOf(
  parameters: ProtocolParameters,
  { from, to, described, operator, ttlSlot }: CustodyMove,
  utxos: readonly Utxo[],
): BuiltTransaction {
  const { script, keyHash: vaultKeyHash, cosigners } = from;
  const keyHashes = cosigners?.keyHashes ?? [];
  const allCosign = cosigners === null || cosigners.required === keyHashes.length;
  return buildBalanced(parameters, operator, {
    fixedInputs: utxos.map((utxo) => ({ utxo, script })),
    outputs: utxos.map((utxo) => movedOutput(parameters, utxo, { to, described })),
    ttlSlot,
    ...custodySigners({ address: from.address, script, vaultKeyHash, cosigners: keyHashes, allCosign }),
  });
}

/** The same value at another address, with more ADA if the ledger has come to ask for more. */
function movedOutput(
  parameters: ProtocolParameters,
  { lovelace: held, assets }: Utxo,
  { to, described }: Pick<CustodyMove, 'to' | 'described'>,
): DraftOutput {
  const isDescribed = assets.has(described.unit);
  const datum = isDescribed && { datum: described.datum };
  return atLeastMinAda(parameters, { address: to, lovelace: held, assets, ...datum });
}
