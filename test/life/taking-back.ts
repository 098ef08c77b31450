import { expect } from '@jest/globals';
import { parseWalletAddress, scriptAddress } from '../../src/chain/address.ts';
import { asOutputs, buildWithFee } from '../../src/chain/balance.ts';
import { createLedger } from '../../src/chain/ledger.ts';
import { depositScript } from '../../src/chain/native-scripts.ts';
import { mergeWitnesses, readWitnessSet } from '../../src/chain/witnesses.ts';
import { lovelace } from '../../src/domain/money.ts';
import type { TestStack } from '../stack/test-stack.ts';
import type { Person } from './people.ts';

/** Spends the owner's deposit by his key alone, as his wallet could without us once T has passed; answers the hash. */
export async function takeBack(stack: TestStack, vaultId: string, owner: Person): Promise<string> {
  const ledger = createLedger({ baseUrl: `${stack.ledger.url}/api/v0`, timeoutMs: 5000 });
  const { rows } = await stack.sql.query<{ vaultKeyHash: string; deadlineSlot: string }>(
    'select vault_key_hash as "vaultKeyHash", settles_by_slot as "deadlineSlot" from vaults where id = $1',
    [vaultId],
  );
  const [vault] = rows;
  if (!vault) throw new Error(`there is no vault ${vaultId}`);
  const { paymentKeyHash: ownerKeyHash } = parseWalletAddress(owner.address, 0);
  const deadlineSlot = Number(vault.deadlineSlot);
  const script = depositScript({ vaultKeyHash: vault.vaultKeyHash, ownerKeyHash, deadlineSlot });
  const [[utxo], parameters, tip] = await Promise.all([
    ledger.utxos(scriptAddress(script, 0)),
    ledger.protocolParameters(),
    ledger.slotAnchor(),
  ]);
  if (!utxo) throw new Error('the deposit is not there');
  const built = buildWithFee(parameters, (fee) => ({
    inputs: [{ utxo, script }],
    outputs: asOutputs(parameters, owner.address, { ...utxo, lovelace: lovelace(utxo.lovelace - fee) }),
    ttlSlot: Math.max(tip.slot, deadlineSlot) + 3600,
    validFrom: deadlineSlot,
    signers: [ownerKeyHash],
  }));
  const signed = mergeWitnesses(built.cbor, readWitnessSet(owner.sign(built.cbor)));
  expect(await ledger.submit(signed)).toEqual({ kind: 'accepted' });
  return built.hash;
}
