import { expect } from '@jest/globals';
import { buildWithFee } from '../../src/cardano/build/funding.ts';
import { splitIntoOutputs } from '../../src/cardano/build/outputs.ts';
import { sumHoldings } from '../../src/cardano/build/values.ts';
import { deriveKeys } from '../../src/cardano/keys/keys.ts';
import { signTransaction } from '../../src/cardano/keys/witnesses.ts';
import { createLedger } from '../../src/cardano/ledger/ledger.ts';
import { scriptAddress } from '../../src/cardano/scripts/address.ts';
import type { NativeScript } from '../../src/cardano/scripts/native-script.ts';
import { lovelace } from '../../src/platform/units/money.ts';
import { canaries } from '../secrets/canaries.ts';
import type { TestStack } from '../stack/test-stack.ts';

/** Spends all that lies behind a script of a vault with its key alone, as whoever has it can; returns the hash, which is in no block yet. */
export async function steal(
  { sql, ledger: { url } }: Pick<TestStack, 'sql' | 'ledger'>,
  vaultId: string,
  { scriptOf, to }: { readonly scriptOf: (vaultKeyHash: string) => NativeScript; readonly to: string },
): Promise<string> {
  const [found] = await sql.run<{ index: number; keyHash: string }>`select key_index as index,
      k.vault_key_hash as "keyHash" from vault_keys k
      join vaults v on v.id = k.vault_id and v.vault_key_hash = k.vault_key_hash where v.id = ${vaultId}`;
  if (!found) throw new Error(`vault ${vaultId} has no key`);
  const script = scriptOf(found.keyHash);
  const ledger = createLedger({ baseUrl: `${url}/api/v0`, timeoutMs: 5000 });
  const [utxos, parameters, { slot }] = await Promise.all([
    ledger.utxos(scriptAddress(script, 0)),
    ledger.protocolParameters(),
    ledger.slotAnchor(),
  ]);
  const held = sumHoldings(utxos);
  const built = buildWithFee(parameters, (fee) => ({
    inputs: utxos.map((utxo) => ({ utxo, script })),
    outputs: splitIntoOutputs(parameters, to, { ...held, lovelace: lovelace(held.lovelace - fee) }),
    ttlSlot: slot + 3600,
    signers: [found.keyHash],
  }));
  const key = deriveKeys(canaries.operatorMnemonic, 0).vaultKey(found.index);
  expect(await ledger.submit(signTransaction(built.cbor, [key]))).toEqual({ kind: 'accepted' });
  return built.hash;
}
