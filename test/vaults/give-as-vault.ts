import { expect } from '@jest/globals';
import { buildWithFee } from '../../src/cardano/build/funding.ts';
import { deriveKeys } from '../../src/cardano/keys/keys.ts';
import { readWitnessSet, witnessSetOf, mergeWitnesses } from '../../src/cardano/keys/witnesses.ts';
import { createLedger } from '../../src/cardano/ledger/ledger.ts';
import { refText } from '../../src/transactions/rules.ts';
import { lovelace } from '../../src/platform/units/money.ts';
import { canaries } from '../secrets/canaries.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { waitUntilDeep } from './unsolicited-scan.ts';

const GIFT = 20_000_000n;

/** Gives 20 ADA to an address as an execution of a vault can that has no ADA: the operator pays, and both sign. */
export async function giveAsVault(stack: TestStack, vaultId: string, address: string): Promise<void> {
  const derived = deriveKeys(canaries.operatorMnemonic, 0);
  const { operator } = derived;
  const ledger = createLedger({ baseUrl: `${stack.ledger.url}/api/v0`, timeoutMs: 5000 });
  const [utxos, parameters, tip] = await Promise.all([
    ledger.utxos(operator.address),
    ledger.protocolParameters(),
    ledger.slotAnchor(),
  ]);
  const leases = await stack.sql.run<{ ref: string }>`select tx_hash || '#' || output_index as ref from utxo_leases`;
  const leased = new Set(leases.map(({ ref }) => ref));
  const utxo = utxos.find((one) => one.lovelace > 25_000_000n && !leased.has(refText(one)));
  if (!utxo) throw new Error('the operator has no free output');
  const rows = await stack.sql.run<{ index: number }>`select key_index as index from vault_keys
      where vault_id = ${vaultId}`;
  const keys = [operator, derived.vaultKey(rows[0]?.index ?? -1)];
  const signers = keys.map(({ keyHash }) => keyHash);
  const paid = (coin: bigint, to: string) => ({ address: to, lovelace: lovelace(coin), assets: new Map() });
  const built = buildWithFee(parameters, (fee) => ({
    inputs: [{ utxo }],
    outputs: [paid(GIFT, address), paid(utxo.lovelace - GIFT - fee, operator.address)],
    ttlSlot: tip.slot + 3600,
    signers,
    enforcedSigners: signers,
  }));
  const signed = mergeWitnesses(built.cbor, readWitnessSet(witnessSetOf(built.cbor, keys)));
  expect(await ledger.submit(signed)).toEqual({ kind: 'accepted' });
  await waitUntilDeep(stack, built.hash);
}
