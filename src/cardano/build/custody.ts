import { type AssetClass, unitOf } from '../../assets/rules/asset.ts';
import { selectUtxos, TooManyInputs, type Payer, buildBalanced } from './funding.ts';
import type { DraftInput, DraftOutput, Datum } from './draft.ts';
import { separateOutputs, atLeastMinAda } from './outputs.ts';
import { sumHoldings } from './values.ts';
import type { ProtocolParameters, ChainContext } from '../ledger/parameters.ts';
import type { NativeScript } from '../scripts/native-script.ts';
import type { OwnGuard } from '../scripts/own-guards.ts';
import type { KeyHash, Unit, Utxo, BuiltTransaction } from '../transaction.ts';
import { ServiceError } from '../../platform/errors.ts';

/** The custody of a vault, with what an execution needs to spend from it. */
export interface Custody {
  readonly address: string;
  readonly script: NativeScript;
  readonly vaultKeyHash: KeyHash;
  /** The cosigners of the execution, who sign in addition to the vault's key. */
  readonly cosigners: readonly KeyHash[];
  /** Whether each of them has to sign; otherwise some of them suffice. */
  readonly allCosign: boolean;
}

/**
 * Who signs a transaction of a vault besides its payer, and whom of them its body names, so that the ledger refuses it without them
 * (design D20). A body cannot name cosigners of whom some suffice: the fee covers all, and the service counts them.
 */
export function custodySigners({ vaultKeyHash, cosigners, allCosign }: Custody) {
  const all = [vaultKeyHash, ...cosigners];
  return { cosigners: all, enforcedSigners: allCosign ? all : [vaultKeyHash] };
}

/** UTxOs in custody as inputs with their script. */
export function custodyInputs({ script }: Custody, utxos: readonly Utxo[]): DraftInput[] {
  return utxos.map((utxo) => ({ utxo, script }));
}

/**
 * The vault as payer with those of these UTxOs of its custody that hold more ADA than their assets need apart from each other; the change
 * returns to custody. A vault that spent that ADA, too, would have the operator pay it when the assets leave it.
 */
export function custodyPayer(
  parameters: ProtocolParameters,
  { address, script, vaultKeyHash }: Custody,
  utxos: readonly Utxo[],
): Payer {
  const needed = ({ assets }: Utxo) => sumHoldings(separateOutputs(parameters, address, assets)).lovelace;
  const paying = utxos.filter((utxo) => utxo.lovelace > needed(utxo));
  return { address, script, keyHash: vaultKeyHash, utxos: paying, separatesChange: true };
}

/** One custody output for each asset, with its min-ADA. */
export function custodyOutputs(
  parameters: ProtocolParameters,
  { address }: Pick<Custody, 'address'>,
  assets: ReadonlyMap<Unit, bigint>,
): DraftOutput[] {
  return separateOutputs(parameters, address, assets);
}

/** A quantity of an asset in base units. */
export interface AssetQuantity extends AssetClass {
  readonly quantity: bigint;
}

/** Quantities in base units, by policy id + asset name. */
export function unitsOf(assets: readonly AssetQuantity[]): Map<Unit, bigint> {
  const units = new Map<Unit, bigint>();
  for (const asset of assets) {
    const unit = unitOf(asset);
    units.set(unit, (units.get(unit) ?? 0n) + asset.quantity);
  }
  return units;
}

/** The UTxOs in custody. */
export interface CustodyUtxos {
  /** All of them, and those among them that no open transaction holds. */
  readonly inCustody: readonly Utxo[];
  readonly free: readonly Utxo[];
}

/** Free UTxOs in custody that hold these units. */
export function utxosInCustody({ inCustody, free }: CustodyUtxos, units: ReadonlyMap<Unit, bigint>): Utxo[] {
  if (holds(free, units)) return selectUtxos(free, units);
  throw new ServiceError(holds(inCustody, units) ? 'CUSTODY_IN_USE' : 'ASSET_NO_LONGER_HELD', {
    units: [...units.keys()],
  });
}

function holds(utxos: readonly Utxo[], units: ReadonlyMap<Unit, bigint>): boolean {
  const { assets } = sumHoldings(utxos);
  return [...units].every(([unit, quantity]) => (assets.get(unit) ?? 0n) >= quantity);
}

interface CustodyMove {
  readonly utxos: readonly Utxo[];
  readonly from: OwnGuard;
  readonly to: string;
  /** What the output with this token holds besides its value. */
  readonly described: { readonly unit: Unit; readonly datum: Datum };
  /** Pays the fee. */
  readonly operator: Payer;
  readonly ttlSlot: number;
}

/** Moves outputs of a vault, as many of the first as fit, each with its value: what a vault has stays as it was divided. */
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
