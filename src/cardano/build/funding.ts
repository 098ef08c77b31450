import { nameOf, policyOf } from '../../assets/rules/asset.ts';
import {
  minFee,
  signedSize,
  INPUT_BYTES,
  minAda,
  type DraftInput,
  type DraftOutput,
  type TransactionDraft,
  encodeDraft,
  transactionHash,
} from './draft.ts';
import { separateOutputs, smallestOutputs, withRest } from './outputs.ts';
import { sumHoldings, type Value, requireNonNegative } from './values.ts';
import type { ProtocolParameters, ChainContext } from '../ledger/parameters.ts';
import { type NativeScript, scriptHash } from '../scripts/native-script.ts';
import type { BuiltTransaction, KeyHash, Unit, Utxo } from '../transaction.ts';
import { ServiceError } from '../../platform/errors.ts';
import { lovelace, type Lovelace } from '../../platform/units/money.ts';
import { refText } from '../../transactions/rules.ts';

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
interface UnbalancedDraft extends Omit<TransactionDraft, 'inputs' | 'signers'> {
  /** Keys that sign besides the payer's. */
  readonly cosigners?: readonly KeyHash[];
  /** Inputs of others, spent in any case; what the outputs do not need of them goes into the payer's change. */
  readonly fixedInputs?: readonly DraftInput[];
}

/**
 * Balances a transaction with inputs and change of the payer; the change comes after the draft's outputs, and nothing is added to the
 * fee. The same UTxOs always give the same transaction.
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
    return draft(inputs, withRest(smallestChange(parameters, payer, change.assets), change.lovelace));
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
      inputs: inputs.map((utxo) => byUtxo.get(utxo) ?? (payer.script ? { utxo, script: payer.script } : { utxo })),
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

interface CoinSelection {
  /** UTxOs to select from. */
  readonly available: readonly Utxo[];
  /** UTxOs that are always spent. */
  readonly fixed: readonly Utxo[];
  /** What the outputs need, without what the transaction mints. */
  readonly needed: Value;
  /** Lovelace that the transaction needs with these inputs: outputs, change and fee. Costly to compute. */
  readonly lovelaceNeeded: (inputs: readonly Utxo[]) => bigint;
  readonly maxTxSize: number;
  /** Those of `available` that come after the others: for each asset, and among those with as many assets. */
  readonly later?: ReadonlySet<Utxo>;
  /** Whether UTxOs with the least ADA that is worth spending come first among those with as many assets. */
  readonly smallestFirst?: boolean;
}

/**
 * Selects the inputs of a transaction: the UTxOs that hold the needed assets, then UTxOs with the fewest assets and, as a rule, the most
 * ADA, until `lovelaceNeeded` is covered. Equal UTxOs give equal inputs.
 */
export function selectInputs(selection: CoinSelection): readonly Utxo[] {
  const { available, fixed, needed, lovelaceNeeded, maxTxSize, later, smallestFirst = false } = selection;
  const inputs = [...fixed, ...selectUtxos(available, needed.assets, fixed, later)];
  const others = available.filter((utxo) => !inputs.includes(utxo));
  const remaining = fewestAssetsFirst(others, smallestFirst, later);
  for (;;) {
    const held = sumHoldings(inputs).lovelace;
    const required = held > needed.lovelace || remaining.length === 0 ? lovelaceNeeded(inputs) : null;
    if (required !== null && held >= required) return inputs;
    const next = remaining.shift();
    if (!next) throw insufficientFunds(available, (required ?? needed.lovelace) - sumHoldings(fixed).lovelace);
    inputs.push(next);
    if (inputs.length * INPUT_BYTES > maxTxSize) throw new TooManyInputs();
  }
}

/** Selects UTxOs that together with `fixed` hold the needed assets, largest first, those of `later` last. */
export function selectUtxos(
  available: readonly Utxo[],
  needed: ReadonlyMap<Unit, bigint>,
  fixed: readonly Utxo[] = [],
  later: ReadonlySet<Utxo> = new Set(),
): Utxo[] {
  const selected: Utxo[] = [];
  for (const [unit, required] of needed) {
    const quantityIn = (utxo: Utxo) => utxo.assets.get(unit) ?? 0n;
    const holders = available.filter((utxo) => quantityIn(utxo) > 0n && !selected.includes(utxo));
    let missing = [...fixed, ...selected].reduce((rest, utxo) => rest - quantityIn(utxo), required);
    const mostFirst = (a: Utxo, b: Utxo) => descending(quantityIn(a), quantityIn(b)) || byRef(a, b);
    for (const holder of holders.sort((a, b) => laterLast(later, a, b) || mostFirst(a, b))) {
      if (missing <= 0n) break;
      selected.push(holder);
      missing -= quantityIn(holder);
    }
    if (missing > 0n) {
      throw new ServiceError('ASSET_NOT_IN_WALLET', {
        unit,
        required: required.toString(),
        available: (required - missing).toString(),
      });
    }
  }
  return selected;
}

/** What a smaller UTxO leaves as change pays for nothing any more. */
const LEAST_WORTH_SPENDING = 5_000_000n;

/** A transaction would be larger than the ledger allows. */
export class TooManyInputs extends ServiceError {
  constructor() {
    super('INSUFFICIENT_FUNDS', { reason: 'the ADA is in more UTxOs than one transaction can spend' });
  }
}

function insufficientFunds(available: readonly Utxo[], required: bigint): ServiceError {
  return new ServiceError('INSUFFICIENT_FUNDS', {
    required: required.toString(),
    available: sumHoldings(available).lovelace.toString(),
  });
}

/** ADA-only UTxOs come before those whose assets would have to go into the change. */
function fewestAssetsFirst(
  utxos: readonly Utxo[],
  smallestFirst: boolean,
  later: ReadonlySet<Utxo> = new Set(),
): Utxo[] {
  const isSmall = ({ lovelace }: Utxo) => smallestFirst && lovelace < LEAST_WORTH_SPENDING;
  const byLovelace = (a: Utxo, b: Utxo) => {
    if (isSmall(a) !== isSmall(b)) return isSmall(a) ? 1 : -1;
    return smallestFirst && !isSmall(a) ? descending(b.lovelace, a.lovelace) : descending(a.lovelace, b.lovelace);
  };
  const byAssets = (a: Utxo, b: Utxo) => a.assets.size - b.assets.size || laterLast(later, a, b);
  return [...utxos].sort((a, b) => byAssets(a, b) || byLovelace(a, b) || byRef(a, b));
}

function laterLast(later: ReadonlySet<Utxo>, a: Utxo, b: Utxo): number {
  return Number(later.has(a)) - Number(later.has(b));
}

function descending(a: bigint, b: bigint): number {
  return a === b ? 0 : a > b ? -1 : 1;
}

function byRef(a: Utxo, b: Utxo): number {
  return refText(a) < refText(b) ? -1 : 1;
}

/** Builds a transaction whose outputs depend on its fee: drafts it with no fee, computes the fee, and drafts it again. */
export function buildWithFee(
  parameters: ProtocolParameters,
  draftWith: (fee: bigint) => TransactionDraft,
): BuiltTransaction {
  // Outputs only shrink by the fee, so the second draft is never larger than the measured one.
  const fee = minFee(parameters, draftWith(0n));
  const draft = draftWith(fee);
  for (const output of draft.outputs) requireNonNegative(output.lovelace - minAda(parameters, output));
  assertBalanced(draft, fee);
  const cbor = encodeDraft(draft, fee);
  return {
    hash: transactionHash(cbor),
    cbor,
    inputs: draft.inputs.map(({ utxo }) => utxo),
    outputs: draft.outputs.map(({ address, lovelace: coin, assets }, index) => ({
      index,
      address,
      lovelace: coin,
      assets,
    })),
    ttlSlot: draft.ttlSlot,
    fee,
    requiredSigners: draft.signers,
  };
}

/** Builds a transaction with the first items of `count`, as many as fit into it. */
export function buildLargestFitting<Built extends { readonly transaction: BuiltTransaction }>(
  parameters: ProtocolParameters,
  count: number,
  build: (taken: number) => Built,
): Built & { readonly taken: number } {
  const fits = (built: Built) => signedSize(built.transaction) <= parameters.maxTxSize;
  let most = Math.min(count, Math.floor(parameters.maxTxSize / INPUT_BYTES));
  let built = build(most);
  if (fits(built)) return { ...built, taken: most };
  let least = 1;
  while (least < most - 1) {
    const middle = Math.floor((least + most) / 2);
    if (fits(build(middle))) least = middle;
    else most = middle;
  }
  built = build(least);
  if (!fits(built)) throw new Error('a single item does not fit into a transaction');
  return { ...built, taken: least };
}

/** Checks every builder: inputs and minted tokens equal outputs and fee. */
function assertBalanced(draft: TransactionDraft, fee: bigint): void {
  const spent = sumHoldings(draft.inputs.map(({ utxo }) => utxo));
  const minted = new Map(
    [...(draft.mint?.quantities ?? [])].map(([name, quantity]) => [mintedUnit(draft, name), quantity]),
  );
  const consumed = sumHoldings([spent, { lovelace: lovelace(0n), assets: minted }]);
  const produced = sumHoldings([...draft.outputs, { lovelace: lovelace(fee), assets: new Map() }]);
  const units = new Set([...consumed.assets.keys(), ...produced.assets.keys()]);
  const uneven = [...units].filter((unit) => (consumed.assets.get(unit) ?? 0n) !== (produced.assets.get(unit) ?? 0n));
  if (consumed.lovelace !== produced.lovelace || uneven.length > 0) {
    throw new Error(
      `unbalanced transaction: ${consumed.lovelace} in, ${produced.lovelace} out, uneven ${uneven.join()}`,
    );
  }
}

function mintedUnit({ mint }: TransactionDraft, name: string): Unit {
  return `${mint ? scriptHash(mint.policy) : ''}${name}`;
}

interface FanOut {
  readonly operator: Payer;
  readonly count: number;
  /** Lovelace of each new UTxO. */
  readonly lovelace: Lovelace;
  readonly ttlSlot: number;
}

/** Splits operator funds into `count` equal UTxOs, so that as many transactions can run in parallel. */
export function buildFanOut({ parameters }: ChainContext, input: FanOut): BuiltTransaction {
  const output = { address: input.operator.address, lovelace: input.lovelace, assets: new Map<string, bigint>() };
  return buildBalanced(parameters, input.operator, {
    outputs: Array.from({ length: input.count }, () => output),
    ttlSlot: input.ttlSlot,
  });
}
