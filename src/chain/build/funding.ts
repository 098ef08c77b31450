import { ServiceError } from '../../domain/errors.ts';
import { lovelace } from '../../domain/units/money.ts';
import { splitIntoOutputs, buildWithFee, INPUT_BYTES, smallestOutputs, type Total, sumHoldings } from './balance.ts';
import { feeOf, signedSize } from './costs.ts';
import type { Draft, DraftInput, DraftOutput } from './draft.ts';
import { type NativeScript, scriptHash } from '../scripts/native-scripts.ts';
import type { ProtocolParameters } from '../ledger/parameters.ts';
import type { BuiltTransaction, KeyHash, Unit, Utxo } from '../transaction.ts';
import { refText } from '../../domain/transaction/utxo-ref.ts';

/** A wallet, the operator or a vault that pays for a transaction out of its free UTxOs. */
export interface Payer {
  /** Where its change goes. */
  readonly address: string;
  readonly keyHash: KeyHash;
  readonly utxos: readonly Utxo[];
  /** Guards its UTxOs, where they lie at a script address. */
  readonly script?: NativeScript;
}

/** What is paid for: everything but the payer's own inputs, change and signature. */
export interface FundedDraft extends Omit<Draft, 'inputs' | 'signers'> {
  /** Keys that sign besides the payer's. */
  readonly cosigners?: readonly KeyHash[];
  /** What others bring and is spent whatever it costs; what the outputs leave of it goes into the payer's change. */
  readonly brought?: readonly DraftInput[];
}

/**
 * Pays for a purchase; change follows the purchase's outputs and nothing is left to the fee. The same UTxOs always give the
 * same transaction. Raises ASSET_NOT_IN_WALLET and INSUFFICIENT_FUNDS.
 */
export function buildFunded(parameters: ProtocolParameters, payer: Payer, purchase: FundedDraft): BuiltTransaction {
  const { cosigners = [], brought = [], ...fixed } = purchase;
  const { outputs } = fixed;
  const signers = [...new Set([payer.keyHash, ...cosigners])];
  const draw = (inputs: readonly Utxo[], change: readonly DraftOutput[]): Draft => ({
    ...fixed,
    inputs: inputs.map((utxo) => brought.find((given) => given.utxo === utxo) ?? guarded(utxo, payer.script)),
    outputs: [...outputs, ...change],
    signers,
  });

  const needed = sumHoldings(outputs);
  const bought = { ...needed, assets: withoutMinted(needed.assets, fixed) };
  const lovelaceNeeded = (chosen: readonly Utxo[]) => {
    const change = smallestOutputs(parameters, payer.address, leftOver(chosen, bought.assets));
    return needed.lovelace + sumHoldings(change).lovelace + feeOf(parameters, draw(chosen, change));
  };
  const inputs = chooseInputs(payer, brought, bought, lovelaceNeeded, parameters.maxTxSize);
  const held = sumHoldings(inputs).lovelace - needed.lovelace;
  const built = buildWithFee(parameters, (fee) => {
    const rest = { lovelace: lovelace(held - fee), assets: leftOver(inputs, bought.assets) };
    return draw(inputs, splitIntoOutputs(parameters, payer.address, rest));
  });
  if (signedSize(built) > parameters.maxTxSize) throw fragmented();
  return built;
}

/** Takes the UTxOs that hold what is bought, then plain ADA, largest first, until `lovelaceNeeded` is covered. */
function chooseInputs(
  payer: Payer,
  brought: readonly DraftInput[],
  bought: Total,
  lovelaceNeeded: (chosen: readonly Utxo[]) => bigint,
  maxTxSize: number,
): readonly Utxo[] {
  const given = brought.map(({ utxo }) => utxo);
  const chosen = [...given, ...selectUtxos(payer.utxos, bought.assets, given)];
  const reserve = byPlainness(payer.utxos.filter((utxo) => !chosen.includes(utxo)));
  for (;;) {
    const held = sumHoldings(chosen).lovelace;
    // Measuring is dear, so it waits until at least the outputs are covered.
    const required = held > bought.lovelace || reserve.length === 0 ? lovelaceNeeded(chosen) : null;
    if (required !== null && held >= required) return chosen;
    const next = reserve.shift();
    if (!next) throw insufficient(payer, (required ?? bought.lovelace) - sumHoldings(given).lovelace);
    chosen.push(next);
    if (chosen.length * INPUT_BYTES > maxTxSize) throw fragmented();
  }
}

/** The UTxOs that hold what `given` lacks of it, largest first. Raises ASSET_NOT_IN_WALLET. */
export function selectUtxos(
  utxos: readonly Utxo[],
  bought: ReadonlyMap<Unit, bigint>,
  given: readonly Utxo[] = [],
): Utxo[] {
  const chosen: Utxo[] = [];
  for (const [unit, required] of bought) {
    const quantityIn = (utxo: Utxo) => utxo.assets.get(unit) ?? 0n;
    const holders = utxos.filter((utxo) => quantityIn(utxo) > 0n && !chosen.includes(utxo));
    let missing = [...given, ...chosen].reduce((rest, utxo) => rest - quantityIn(utxo), required);
    for (const holder of holders.sort((a, b) => descending(quantityIn(a), quantityIn(b)) || byRef(a, b))) {
      if (missing <= 0n) break;
      chosen.push(holder);
      missing -= quantityIn(holder);
    }
    if (missing > 0n) {
      const available = required - missing;
      throw new ServiceError('ASSET_NOT_IN_WALLET', {
        unit,
        required: required.toString(),
        available: available.toString(),
      });
    }
  }
  return chosen;
}

function guarded(utxo: Utxo, script: NativeScript | undefined): DraftInput {
  return script ? { utxo, script } : { utxo };
}

function withoutMinted(assets: ReadonlyMap<Unit, bigint>, { minting }: Pick<Draft, 'minting'>): Map<Unit, bigint> {
  if (!minting) return new Map(assets);
  const policyId = scriptHash(minting.script);
  const minted = (unit: Unit) => (unit.startsWith(policyId) ? (minting.quantities.get(unit.slice(56)) ?? 0n) : 0n);
  return new Map(
    [...assets].map(([unit, quantity]): [Unit, bigint] => [unit, quantity - minted(unit)]).filter(isPositive),
  );
}

function leftOver(chosen: readonly Utxo[], bought: ReadonlyMap<Unit, bigint>): Map<Unit, bigint> {
  const held = [...sumHoldings(chosen).assets];
  return new Map(
    held.map(([unit, quantity]): [Unit, bigint] => [unit, quantity - (bought.get(unit) ?? 0n)]).filter(isPositive),
  );
}

function isPositive([, quantity]: [Unit, bigint]): boolean {
  return quantity > 0n;
}

/** ADA alone before UTxOs that would drag assets into the change; larger before smaller. */
function byPlainness(utxos: readonly Utxo[]): Utxo[] {
  return [...utxos].sort((a, b) => a.assets.size - b.assets.size || descending(a.lovelace, b.lovelace) || byRef(a, b));
}

function descending(a: bigint, b: bigint): number {
  return a === b ? 0 : a > b ? -1 : 1;
}

function byRef(a: Utxo, b: Utxo): number {
  return refText(a) < refText(b) ? -1 : 1;
}

function insufficient(payer: Payer, required: bigint): ServiceError {
  return new ServiceError('INSUFFICIENT_FUNDS', {
    required: required.toString(),
    available: sumHoldings(payer.utxos).lovelace.toString(),
  });
}

function fragmented(): ServiceError {
  return new ServiceError('INSUFFICIENT_FUNDS', {
    reason: 'the ADA lies in more small UTxOs than one transaction can spend',
  });
}
