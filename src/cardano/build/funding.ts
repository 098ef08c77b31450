import { nameOf, policyOf } from '../../assets/rules/unit.ts';
import { ServiceError } from '../../platform/errors/errors.ts';
import { lovelace } from '../../platform/units/money.ts';
import type { ProtocolParameters } from '../ledger/parameters.ts';
import { type NativeScript, scriptHash } from '../scripts/native-script.ts';
import type { BuiltTransaction, KeyHash, Unit, Utxo } from '../transaction.ts';
import { buildWithFee } from './balance.ts';
import { selectInputs, selectUtxos, TooManyInputs } from './coin-selection.ts';
import { minFee, signedSize } from './costs.ts';
import type { DraftInput, DraftOutput, TransactionDraft } from './draft.ts';
import { separateOutputs, smallestOutputs, withRest } from './outputs.ts';
import { sumHoldings, type Value } from './values.ts';

/** A wallet, the operator or a vault that pays for a transaction with its free UTxOs. */
export interface Payer {
  /** Where its change goes. */
  readonly address: string;
  readonly keyHash: KeyHash;
  readonly utxos: readonly Utxo[];
  /**
   * The key of each of its UTxOs, when they have several. Whose the others are is not known, because anybody can name the UTxOs of somebody
   * else, and join a key of their own to the payer's stake key. So UTxOs of `keyHash` pay first, the others only for what these lack;
   * `keyHash` signs in any case, and of the others those whose UTxOs are spent.
   */
  readonly keyOf?: (utxo: Utxo) => KeyHash;
  /** The script that guards its UTxOs, when they are at a script address. */
  readonly script?: NativeScript;
  /** Whether it pays with its smallest UTxOs, because the transaction may hold them for days. */
  readonly paysWithSmallest?: boolean;
  /** Whether each asset in its change gets an output of its own, as in custody; otherwise they share as few as possible. */
  readonly separatesChange?: boolean;
}

/** A transaction without the payer's inputs, change and signature. */
export interface UnbalancedDraft extends Omit<TransactionDraft, 'inputs' | 'signers'> {
  /** Keys that sign besides the payer's. */
  readonly cosigners?: readonly KeyHash[];
  /** Inputs of others, spent in any case; what the outputs do not need of them goes into the payer's change. */
  readonly fixedInputs?: readonly DraftInput[];
}

/**
 * Balances a transaction with inputs and change of the payer; the change comes after the draft's outputs, and nothing is added to the
 * fee. The same UTxOs always give the same transaction. Throws ASSET_NOT_IN_WALLET and INSUFFICIENT_FUNDS.
 */
export function buildBalanced(
  parameters: ProtocolParameters,
  payer: Payer,
  unbalanced: UnbalancedDraft,
): BuiltTransaction {
  const { keyHash, keyOf = () => keyHash, utxos } = payer;
  const others = new Set(utxos.filter((utxo) => keyOf(utxo) !== keyHash));
  const anyOrder = { available: utxos, others: new Set<Utxo>() };
  if (others.size === 0) return balance(parameters, payer, unbalanced, anyOrder);

  const holders = selectUtxos(utxos, neededOf(unbalanced).assets, fixedUtxos(unbalanced), others);
  const own = utxos.filter((utxo) => !others.has(utxo) || holders.includes(utxo));
  return (
    balanceIfFunded(parameters, payer, unbalanced, { available: own, others }) ??
    balanceIfFunded(parameters, payer, unbalanced, { available: utxos, others }) ??
    // The own key has more small UTxOs than one transaction can spend.
    balance(parameters, payer, unbalanced, anyOrder)
  );
}

/** Null when these funds do not suffice. */
function balanceIfFunded(...parameters: Parameters<typeof balance>): BuiltTransaction | null {
  try {
    return balance(...parameters);
  } catch (cause) {
    if (!(cause instanceof ServiceError) || cause.code !== 'INSUFFICIENT_FUNDS') throw cause;
    return null;
  }
}

/** What may be spent of a payer's UTxOs, and those of them that are not guarded by the payer's own key. */
interface Funds {
  readonly available: readonly Utxo[];
  readonly others: ReadonlySet<Utxo>;
}

function balance(
  parameters: ProtocolParameters,
  payer: Payer,
  unbalanced: UnbalancedDraft,
  { available, others }: Funds,
): BuiltTransaction {
  const { outputs } = unbalanced;
  const draft = draftFor(payer, unbalanced);
  const total = sumHoldings(outputs);
  const needed = neededOf(unbalanced);
  const inputs = selectInputs({
    available,
    later: others,
    fixed: fixedUtxos(unbalanced),
    needed,
    lovelaceNeeded: (selected) => {
      const change = smallestChange(parameters, payer, changeAssets(selected, needed.assets));
      return total.lovelace + sumHoldings(change).lovelace + minFee(parameters, draft(selected, change));
    },
    maxTxSize: parameters.maxTxSize,
    smallestFirst: payer.paysWithSmallest ?? false,
  });
  const surplus = sumHoldings(inputs).lovelace - total.lovelace;
  const built = buildWithFee(parameters, (fee) => {
    const change = { lovelace: lovelace(surplus - fee), assets: changeAssets(inputs, needed.assets) };
    return draft(inputs, changeOutputs(parameters, payer, change));
  });
  if (signedSize(built) > parameters.maxTxSize) throw new TooManyInputs();
  return built;
}

/** The transaction with these inputs and this change. */
function draftFor(payer: Payer, { cosigners = [], fixedInputs = [], ...fixed }: UnbalancedDraft) {
  const byUtxo = new Map(fixedInputs.map((input) => [input.utxo, input]));
  return (inputs: readonly Utxo[], change: readonly DraftOutput[]): TransactionDraft => {
    const paying = inputs.filter((utxo) => !byUtxo.has(utxo));
    return {
      ...fixed,
      inputs: inputs.map((utxo) => byUtxo.get(utxo) ?? payerInput(payer, utxo)),
      outputs: [...fixed.outputs, ...change],
      signers: [...new Set([...payingKeys(payer, paying), ...cosigners])],
      enforcedSigners: [...(fixed.enforcedSigners ?? []), ...unpayingKeys(payer, paying)],
    };
  };
}

/** The change without ADA that nothing needs. */
function smallestChange(
  parameters: ProtocolParameters,
  { address, separatesChange = false }: Payer,
  assets: ReadonlyMap<Unit, bigint>,
): DraftOutput[] {
  const isSeparate = separatesChange && assets.size > 0;
  return isSeparate ? separateOutputs(parameters, address, assets) : smallestOutputs(parameters, address, assets);
}

/** The change: the ADA that its outputs do not need lies in the first. Throws INSUFFICIENT_FUNDS. */
function changeOutputs(parameters: ProtocolParameters, payer: Payer, held: Value): DraftOutput[] {
  return withRest(smallestChange(parameters, payer, held.assets), held.lovelace);
}

/** The payer's own key, and those of the inputs. */
function payingKeys({ keyHash, keyOf = () => keyHash }: Payer, inputs: readonly Utxo[]): KeyHash[] {
  return [keyHash, ...inputs.map(keyOf)];
}

/** The payer's own key if only others guard the inputs: a wallet would not sign with it unless the body named it. */
function unpayingKeys({ keyHash, keyOf }: Payer, inputs: readonly Utxo[]): KeyHash[] {
  return !keyOf || inputs.some((utxo) => keyOf(utxo) === keyHash) ? [] : [keyHash];
}

/** What the payer and the fixed inputs have to bring. */
function neededOf({ outputs, mint }: UnbalancedDraft): Value {
  const total = sumHoldings(outputs);
  return { ...total, assets: withoutMinted(total.assets, mint) };
}

function fixedUtxos({ fixedInputs = [] }: UnbalancedDraft): Utxo[] {
  return fixedInputs.map(({ utxo }) => utxo);
}

function payerInput({ script }: Payer, utxo: Utxo): DraftInput {
  return script ? { utxo, script } : { utxo };
}

function withoutMinted(assets: ReadonlyMap<Unit, bigint>, mint: TransactionDraft['mint']): Map<Unit, bigint> {
  if (!mint) return new Map(assets);
  const policyId = scriptHash(mint.policy);
  const minted = (unit: Unit) => (policyOf(unit) === policyId ? (mint.quantities.get(nameOf(unit)) ?? 0n) : 0n);
  return new Map(
    [...assets].map(([unit, quantity]): [Unit, bigint] => [unit, quantity - minted(unit)]).filter(isPositive),
  );
}

function changeAssets(inputs: readonly Utxo[], needed: ReadonlyMap<Unit, bigint>): Map<Unit, bigint> {
  const held = [...sumHoldings(inputs).assets];
  return new Map(
    held.map(([unit, quantity]): [Unit, bigint] => [unit, quantity - (needed.get(unit) ?? 0n)]).filter(isPositive),
  );
}

function isPositive([, quantity]: [Unit, bigint]): boolean {
  return quantity > 0n;
}

/** Runs `build` with the platform's own funds. Throws SERVICE_NOT_READY where these do not suffice: the caller cannot help it. */
export function buildWithPlatformFunds<Built>(build: () => Built): Built {
  try {
    return build();
  } catch (cause) {
    if (!(cause instanceof ServiceError) || cause.code !== 'INSUFFICIENT_FUNDS') throw cause;
    throw new ServiceError('SERVICE_NOT_READY', { waitingFor: 'operator funds' }, { cause });
  }
}
