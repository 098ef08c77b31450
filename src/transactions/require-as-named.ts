import type { WalletUtxo } from '../cardano/cbor/wallet-utxo.ts';
import type { Utxo } from '../cardano/transaction.ts';
import { type FieldProblem, ServiceError } from '../platform/errors/errors.ts';
import { refText } from './rules/utxo-ref.ts';
import type { NamedUtxo } from '../access/actor.ts';

/** The UTxOs on the ledger that a wallet names. Throws UTXO_NOT_ON_LEDGER when one is missing there, or has another value. */
export function requireAsNamed(named: readonly NamedUtxo[], found: readonly Utxo[]): Utxo[] {
  const byRef = new Map(found.map((utxo) => [refText(utxo), utxo]));
  const wanted = named.map((claim) => {
    const utxo = byRef.get(refText(claim));
    if (utxo && isSame(claim, utxo)) return utxo;
    const message = 'The ledger has no such unspent output with this value';
    const problem: FieldProblem = { code: 'UTXO_NOT_ON_LEDGER', message, field: `utxos.${claim.position}` };
    throw new ServiceError('UTXO_NOT_ON_LEDGER', { output: refText(claim), errors: [problem] });
  });
  return [...new Set(wanted)];
}

function isSame(claim: WalletUtxo, { address, lovelace, assets }: Utxo): boolean {
  const hasSameAssets =
    claim.assets.size === assets.size && [...claim.assets].every(([unit, quantity]) => assets.get(unit) === quantity);
  return claim.address === address && claim.lovelace === lovelace && hasSameAssets;
}
