import { lovelace } from '../../domain/units/money.ts';
import { minAda } from './costs.ts';
import type { DraftInput, DraftOutput } from './draft.ts';
import type { Payer } from './funding.ts';
import type { NativeScript } from '../scripts/native-scripts.ts';
import type { ProtocolParameters } from '../ledger/parameters.ts';
import type { KeyHash, Unit, Utxo } from '../transaction.ts';

/** A vault's custody as an execution uses it. */
export interface Custody {
  readonly address: string;
  readonly script: NativeScript;
  readonly vaultKeyHash: KeyHash;
  /** Named by the execution, beside the vault's key: the ledger itself insists on each of them (design D20). */
  readonly cosigners: readonly KeyHash[];
}

/** UTxOs in custody as inputs. */
export function custodyInputs({ script }: Custody, utxos: readonly Utxo[]): DraftInput[] {
  return utxos.map((utxo) => ({ utxo, script }));
}

/** The vault as the one who pays, out of these UTxOs of its custody; change returns there. */
export function custodyPayer({ address, script, vaultKeyHash }: Custody, utxos: readonly Utxo[]): Payer {
  return { address, script, keyHash: vaultKeyHash, utxos };
}

/** Assets into custody, one output each with its min-ADA, so that each can leave alone. */
export function custodyOutputs(
  parameters: ProtocolParameters,
  { address }: Custody,
  assets: ReadonlyMap<Unit, bigint>,
): DraftOutput[] {
  return [...assets].map((asset) => {
    const empty = { address, lovelace: lovelace(0n), assets: new Map([asset]) };
    return { ...empty, lovelace: minAda(parameters, empty) };
  });
}

/** What is left of assets once some have been taken; throws RangeError when there were not enough. */
export function subtractAssets(held: ReadonlyMap<Unit, bigint>, taken: ReadonlyMap<Unit, bigint>): Map<Unit, bigint> {
  const left = new Map(held);
  for (const [unit, quantity] of taken) {
    const rest = (left.get(unit) ?? 0n) - quantity;
    if (rest < 0n) throw new RangeError(`${-rest} of ${unit} are missing`);
    if (rest === 0n) left.delete(unit);
    else left.set(unit, rest);
  }
  return left;
}
