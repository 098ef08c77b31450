import { selectUtxos, buildBalanced, type Payer } from './funding.ts';
import { minAda, type DraftOutput, type DraftInput, type Datum } from './draft.ts';
import { type Custody, custodyOutputs, custodySigners } from './custody.ts';
import { splitIntoOutputs, smallestOutputs, atLeastMinAda, smallestOutput } from './outputs.ts';
import { sumHoldings, equalShare, subtractAssets } from './values.ts';
import type { ChainContext, ProtocolParameters } from '../ledger/parameters.ts';
import { readPaymentKeyHash } from '../scripts/address.ts';
import type { NativeScript } from '../scripts/native-script.ts';
import type { BuiltTransaction, KeyHash, Unit, Utxo, Holding } from '../transaction.ts';
import { ServiceError } from '../../platform/errors.ts';
import { type Lovelace, lovelace, baseUnits, type BaseUnits } from '../../platform/units/money.ts';
import type { Pot } from '../../termination/rules/pot.ts';
import { isVaultToken, type TokensOfVault } from '../../vaults/rules/vault.ts';

/** Where the pot of a vault is, and its outputs. */
interface PotOutputs {
  /** See `claimsScript`. */
  readonly script: NativeScript;
  readonly address: string;
  readonly vaultKeyHash: KeyHash;
  /** Those that no transaction holds, in the order in which they are tried. */
  readonly free: readonly Utxo[];
}

interface Claim {
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
 * holder's change has the payout. Holder and vault sign.
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

/** The first output that suffices, so that the others stay free for other claims; else the largest ones. */
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

/** Each holder's claim spends an output of the pot, so that many outputs let many holders claim at once. */
const LOVELACE_PER_OUTPUT = 25_000_000n;
const MAX_OUTPUTS = 40;

interface PotGathering {
  /** What belongs to the vault. */
  readonly inputs: readonly DraftInput[];
  readonly claimsAddress: string;
  readonly custody: Custody;
  /** Outputs that the claims address has already. */
  readonly inPot: number;
  readonly ftUnit: Unit;
  /** All tokens of the vault, in base units. */
  readonly ftSupply: bigint;
  /** Adds the min-ADA of the outputs. */
  readonly operator: Payer;
  readonly ttlSlot: number;
}

/**
 * Gathers what a vault that ends shares at its claims address (design D31): the ADA in equal outputs, less the fee, all of its tokens in
 * the first. Assets return to custody with their min-ADA. The operator's min-ADA keeps an output payable whatever is claimed of it; without
 * inputs that is all that the pot gets.
 */
export function buildPotGathering({ parameters }: ChainContext, input: PotGathering): BuiltTransaction {
  const { inputs, custody, operator, ttlSlot } = input;
  const build = (fee: Lovelace) =>
    buildBalanced(parameters, operator, {
      fixedInputs: inputs,
      outputs: gatheringOutputs(parameters, input, fee),
      ttlSlot,
      ...custodySigners(custody),
    });
  // The fee does not depend on how the same ADA is divided between the pot and the operator.
  return build(build(lovelace(0n)).fee);
}

function gatheringOutputs(
  parameters: ProtocolParameters,
  { inputs, claimsAddress: address, custody, inPot, ftUnit, ftSupply }: PotGathering,
  fee: Lovelace,
): DraftOutput[] {
  const held = sumHoldings(inputs.map(({ utxo }) => utxo));
  const tokens = new Map([...held.assets].filter(([unit]) => unit === ftUnit));
  const kept = custodyOutputs(parameters, custody, subtractAssets(held.assets, tokens));
  const shared = gatheredLovelace({ held: held.lovelace, kept: sumHoldings(kept).lovelace, fee });
  const count = potOutputCount(shared, inPot);
  const pot = Array.from({ length: count }, (_, index) => {
    const assets = index === 0 ? tokens : new Map<Unit, bigint>();
    const output = { address, lovelace: lovelace(equalShare(shared, count, index)), assets };
    // The last claim leaves an output with all tokens.
    const largest = index === 0 ? { ...output, assets: new Map([[ftUnit, ftSupply]]) } : output;
    return { ...output, lovelace: lovelace(output.lovelace + minAda(parameters, largest)) };
  });
  return [...pot, ...kept];
}

/** What a gathering adds to a pot: what it spends of the vault's, less what returns to custody and the fee as far as that suffices. */
function gatheredLovelace({ held, kept, fee }: Readonly<Record<'held' | 'kept' | 'fee', bigint>>): bigint {
  const shared = held - kept - fee;
  return shared < 0n ? 0n : shared;
}

/** One output at least. All that gatherings make fit into the one transaction that pays or merges them. */
function potOutputCount(shared: bigint, inPot: number): number {
  const wanted = Number(shared / LOVELACE_PER_OUTPUT);
  return Math.max(1, Math.min(wanted, MAX_OUTPUTS - inPot));
}

/** More than the min-ADA of an output with one asset. */
const ADA_OF_ASSET = 2_000_000n;
/** Less than that moves with the asset that it lies with: a transaction for it would cost a good part of it. */
const WORTH_GATHERING = 5_000_000n;
/** Eighty inputs and the outputs of a pot take less than half of the size that the ledger accepts. */
const MAX_WEIGHT = 80;
/** An asset that returns to custody takes about three times the bytes of an input. */
const WEIGHT_OF_ASSET = 3;

/** The first of these inputs, as many as one transaction can gather together with the outputs for assets that return to custody. */
export function gatheringBatch(inputs: readonly DraftInput[], ftUnit: string): readonly DraftInput[] {
  let weight = 0;
  const end = inputs.findIndex(({ utxo: { assets } }) => {
    const returned = assets.has(ftUnit) ? assets.size - 1 : assets.size;
    weight += 1 + WEIGHT_OF_ASSET * returned;
    return weight > MAX_WEIGHT;
  });
  return end < 0 ? inputs : inputs.slice(0, Math.max(1, end));
}

/** Whether an output holds what a vault shares: ADA and its tokens, and assets only with much ADA. */
export function isShared({ assets, lovelace }: Utxo, tokens: TokensOfVault): boolean {
  const others = [...assets.keys()].filter((unit) => unit !== tokens.ftUnit);
  if (others.length === 0) return true;
  const isIdentity = others.some((unit) => isVaultToken(unit, tokens));
  return !isIdentity && lovelace >= WORTH_GATHERING + ADA_OF_ASSET * BigInt(others.length);
}

interface Gathering {
  readonly inputs: readonly Holding[];
  readonly outputs: readonly Holding[];
  readonly fee: Lovelace;
}

interface GatheredVault {
  /** Of its custody and its liquidity share. */
  readonly sources: readonly string[];
  readonly claimsAddress: string;
  readonly ftUnit: string;
  readonly ftSupply: BaseUnits;
}

/**
 * The pot that transactions have gathered: what the vault had less their fees and what returned to it, shared by the tokens outside of it. The float is
 * what the operator added for the min-ADA of the outputs.
 */
export function gatheredPot(
  gatherings: readonly Gathering[],
  { sources, claimsAddress, ftUnit, ftSupply }: GatheredVault,
): { readonly pot: Pot; readonly float: Lovelace } {
  const ofVault = ({ address }: Holding) => sources.includes(address);
  const outputs = gatherings.flatMap((one) => one.outputs).filter(({ address }) => address === claimsAddress);
  const shared = gatherings.reduce((sum, { inputs, outputs: made, fee }) => {
    const [held, kept] = [inputs, made].map((side) => sumOf(side.filter(ofVault)));
    return sum + gatheredLovelace({ held: held ?? 0n, kept: kept ?? 0n, fee });
  }, 0n);
  const inPot = outputs.reduce((sum, { assets }) => sum + (assets.get(ftUnit) ?? 0n), 0n);
  return {
    pot: { lovelace: lovelace(shared), circulating: baseUnits(ftSupply - inPot) },
    float: lovelace(sumOf(outputs) - shared),
  };
}

function sumOf(holdings: readonly Holding[]): bigint {
  return holdings.reduce((sum, holding) => sum + holding.lovelace, 0n);
}

/** What the last transaction of a vault spends of its pot, and how much of that stays there for those who claim late. */
export interface ClosablePot {
  readonly inputs: readonly DraftInput[];
  readonly claimable: Lovelace;
}

interface CountedPot {
  readonly pot: Pot;
  readonly float: Lovelace;
}

/** What lies at its address: the outputs that no open transaction holds, how many there are in all, and the lovelace in them. */
interface FoundPot {
  readonly free: readonly DraftInput[];
  readonly count: number;
  readonly lovelace: bigint;
}

const nothing: ClosablePot = { inputs: [], claimable: lovelace(0n) };

/** Less of the float than that is not worth a transaction. */
const WORTH_RETURNING = 1_000_000n;

/**
 * What the last transaction closes of a pot: all of one that is empty but for what was rounded off; of another one the outputs that no
 * claim holds, less what every holder can still claim. `least` is the min-ADA of an output of the pot. Null while what is counted is not
 * what lies there.
 */
export function closedOf(
  { pot, float }: CountedPot,
  { free, count, lovelace: all }: FoundPot,
  least: bigint,
): ClosablePot | null {
  const uncounted = all - pot.lovelace - float;
  // What claims at the same time have rounded off is less than an output can hold, and nobody has tokens for it.
  const isEmpty = pot.lovelace === 0n || (pot.circulating === 0n && pot.lovelace < least);
  if (isEmpty && uncounted <= 0n) return { inputs: free, claimable: lovelace(0n) };
  if (uncounted !== 0n) return null;
  const held = sumHoldings(free.map(({ utxo }) => utxo)).lovelace;
  // Besides what claims hold, the rest of the pot stays, and the min-ADA of each output.
  const needed = pot.lovelace + BigInt(1 + count - free.length) * least - (all - held);
  const claimable = needed < least ? least : needed;
  return held - claimable < WORTH_RETURNING ? nothing : { inputs: free, claimable: lovelace(claimable) };
}

/**
 * What the last transaction closes of a pot in which more lies than is counted. The operator gets its float; the rest stays. Nothing is closed of a pot in which less lies.
 */
export function closedUncounted({ pot, float }: CountedPot, found: FoundPot, least: bigint): ClosablePot {
  const held = found.lovelace - float;
  return held < pot.lovelace
    ? nothing
    : (closedOf({ pot: { ...pot, lovelace: lovelace(held) }, float }, found, least) ?? nothing);
}

/** What a transaction that hands assets over has brought into the pot: its recipients have keys, and what returns is in custody. */
export function handedSurplus(
  { outputs }: { readonly outputs: readonly Holding[] },
  { contractAddress }: { readonly contractAddress: string },
): Lovelace {
  const inPot = outputs.filter(
    ({ address }) => address !== contractAddress && readPaymentKeyHash(address) === undefined,
  );
  return lovelace(inPot.reduce((sum, output) => sum + output.lovelace, 0n));
}

interface RemainderPayment {
  /** All outputs of the pot. */
  readonly pot: readonly DraftInput[];
  readonly claimsAddress: string;
  /** What nobody claimed; the pot holds it besides the operator's float. */
  readonly remainder: Lovelace;
  readonly recipient: string;
  readonly vaultKeyHash: KeyHash;
  /** Pays the fee and gets the float back. */
  readonly operator: Payer;
  readonly ttlSlot: number;
}

/**
 * Pays what nobody claimed to the wallet that was named for it (output 0), and at least what an output has to hold; redeemed tokens
 * stay at the claims address. Throws INSUFFICIENT_FUNDS, and RangeError when the pot holds less than the remainder.
 */
export function buildRemainderPayment({ parameters }: ChainContext, input: RemainderPayment): BuiltTransaction {
  const { pot, claimsAddress, remainder, recipient, vaultKeyHash, operator, ttlSlot } = input;
  const held = sumHoldings(pot.map(({ utxo }) => utxo));
  // The operator lends the min-ADA of outputs, never what the pot should have.
  if (held.lovelace < remainder) throw new RangeError(`the pot holds ${held.lovelace} of a remainder of ${remainder}`);
  const { assets } = held;
  return buildBalanced(parameters, operator, {
    fixedInputs: pot,
    outputs: [
      atLeastMinAda(parameters, { address: recipient, lovelace: remainder, assets: new Map() }),
      ...(assets.size === 0 ? [] : smallestOutputs(parameters, claimsAddress, assets)),
    ],
    ttlSlot,
    cosigners: [vaultKeyHash],
  });
}

interface VaultClosing {
  /** What holds the vault's NFT, its reference token, redeemed tokens and the operator's float. */
  readonly inputs: readonly DraftInput[];
  readonly custodyAddress: string;
  readonly claimsAddress: string;
  readonly ftUnit: Unit;
  /** What stays in the pot, in one output, for those who claim late; nothing when it is 0. */
  readonly claimable: Lovelace;
  /** Describes the fractional token, some of which may be in wallets for ever. */
  readonly datum: Datum;
  readonly vaultKeyHash: KeyHash;
  /** Pays the fee and gets back what it added. */
  readonly operator: Payer;
  readonly ttlSlot: number;
}

/**
 * Leaves the tokens that nobody can burn in one output in custody, what can still be claimed in one of the pot, and the rest to the
 * operator. Redeemed tokens stay in a pot that can be claimed: they say on the ledger how many still circulate.
 */
export function buildVaultClosing({ parameters }: ChainContext, input: VaultClosing): BuiltTransaction {
  const { inputs, custodyAddress, claimsAddress, ftUnit, claimable, datum, vaultKeyHash, operator, ttlSlot } = input;
  const { assets } = sumHoldings(inputs.map(({ utxo }) => utxo));
  const redeemed = claimable > 0n ? new Map([...assets].filter(([unit]) => unit === ftUnit)) : new Map<Unit, bigint>();
  const tokens = subtractAssets(assets, redeemed);
  const outputs: DraftOutput[] = [
    ...(tokens.size > 0 ? [smallestOutput(parameters, { address: custodyAddress, assets: tokens, datum })] : []),
    ...(claimable > 0n ? [{ address: claimsAddress, lovelace: claimable, assets: redeemed }] : []),
  ];
  return buildBalanced(parameters, operator, { fixedInputs: inputs, outputs, ttlSlot, cosigners: [vaultKeyHash] });
}
