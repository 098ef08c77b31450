import type { DraftInput, DraftOutput } from './draft.ts';
import type { Payer } from './funding.ts';
import type { NativeScript } from '../scripts/native-script.ts';
import type { ProtocolParameters } from '../ledger/parameters.ts';
import type { KeyHash, Unit, Utxo } from '../transaction.ts';
import { separateOutputs } from './outputs.ts';
import { sumHoldings } from './values.ts';

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
