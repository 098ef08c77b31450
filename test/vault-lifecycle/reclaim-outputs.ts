import { expect } from '@jest/globals';
import { parseWalletAddress, scriptAddress } from '../../src/cardano/scripts/address.ts';
import { splitIntoOutputs } from '../../src/cardano/build/outputs.ts';
import { buildWithFee } from '../../src/cardano/build/funding.ts';
import { createLedger } from '../../src/cardano/ledger/ledger.ts';
import { depositScript } from '../../src/cardano/scripts/vault-scripts.ts';
import type { NativeScript } from '../../src/cardano/scripts/native-script.ts';
import { mergeWitnesses, readWitnessSet } from '../../src/cardano/keys/witnesses.ts';
import { lovelace } from '../../src/platform/units/money.ts';
import type { TestStack } from '../stack/test-stack.ts';
import type { Person } from './participants.ts';

/** Spends a deposit with its owner's key alone, which its script allows once T has passed; returns the hash. */
export async function reclaimDeposit(stack: TestStack, vaultId: string, owner: Person): Promise<string> {
  const [vault] = await stack.sql.run<{ vaultKeyHash: string; deadlineSlot: string }>`
      select vault_key_hash as "vaultKeyHash", settles_by_slot as "deadlineSlot" from vaults where id = ${vaultId}`;
  if (!vault) throw new Error(`there is no vault ${vaultId}`);
  const { paymentKeyHash: ownerKeyHash } = parseWalletAddress(owner.address, 0);
  const deadlineSlot = Number(vault.deadlineSlot);
  const script = depositScript({ vaultKeyHash: vault.vaultKeyHash, ownerKeyHash, deadlineSlot });
  return spendWithOwnerKey(stack, owner, { script, fromSlot: deadlineSlot });
}

async function spendWithOwnerKey(
  stack: TestStack,
  owner: Person,
  { script, fromSlot }: { script: NativeScript; fromSlot: number },
): Promise<string> {
  const ledger = createLedger({ baseUrl: `${stack.ledger.url}/api/v0`, timeoutMs: 5000 });
  const { paymentKeyHash } = parseWalletAddress(owner.address, 0);
  const [[utxo], parameters, { slot }] = await Promise.all([
    ledger.utxos(scriptAddress(script, 0)),
    ledger.protocolParameters(),
    stack.ledger.clock(),
  ]);
  if (!utxo) throw new Error('there is no output to reclaim');
  const built = buildWithFee(parameters, (fee) => ({
    inputs: [{ utxo, script }],
    outputs: splitIntoOutputs(parameters, owner.address, { ...utxo, lovelace: lovelace(utxo.lovelace - fee) }),
    ttlSlot: Math.max(slot, fromSlot) + 3600,
    validFrom: fromSlot,
    signers: [paymentKeyHash],
  }));
  const signed = mergeWitnesses(built.cbor, readWitnessSet(owner.sign(built.cbor)));
  expect(await ledger.submit(signed)).toEqual({ kind: 'accepted' });
  return built.hash;
}
