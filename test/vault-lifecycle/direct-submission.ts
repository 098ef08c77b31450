import { expect } from '@jest/globals';
import { parseWalletAddress } from '../../src/cardano/scripts/address.ts';
import { splitIntoOutputs } from '../../src/cardano/build/outputs.ts';
import { buildWithFee } from '../../src/cardano/build/funding.ts';
import { sumHoldings } from '../../src/cardano/build/values.ts';
import { createLedger } from '../../src/cardano/ledger/ledger.ts';
import { mergeWitnesses, readWitnessSet } from '../../src/cardano/keys/witnesses.ts';
import { lovelace } from '../../src/platform/units/money.ts';
import type { TestStack } from '../stack/test-stack.ts';
import type { Person } from './participants.ts';

type WithLedger = Pick<TestStack, 'ledger'>;
type Owner = Pick<Person, 'address' | 'sign'>;

/** Signs a transaction and sends it to the ledger without the service, as a wallet may. */
export async function submitDirectly({ ledger }: WithLedger, owner: Owner, unsigned: string): Promise<void> {
  const signed = mergeWitnesses(unsigned, readWitnessSet(owner.sign(unsigned)));
  // With the text, a failure says why the ledger refused it.
  expect(await ledger.submit(signed)).toEqual({ status: 200, text: expect.stringMatching(/^"[0-9a-f]{64}"$/) });
}

/** Spends all outputs of the owner to the owner's own address; returns the transaction hash. */
export function sendAllToSelf(stack: WithLedger, owner: Owner): Promise<string> {
  return sendAll(stack, owner, owner.address);
}

/** Spends all outputs of the owner to an address; returns the transaction hash. */
export async function sendAll(stack: WithLedger, owner: Owner, to: string): Promise<string> {
  const ledger = createLedger({ baseUrl: `${stack.ledger.url}/api/v0`, timeoutMs: 5000 });
  const [utxos, parameters, tip] = await Promise.all([
    ledger.utxos(owner.address),
    ledger.protocolParameters(),
    ledger.slotAnchor(),
  ]);
  const held = sumHoldings(utxos);
  const built = buildWithFee(parameters, (fee) => ({
    inputs: utxos.map((utxo) => ({ utxo })),
    outputs: splitIntoOutputs(parameters, to, { ...held, lovelace: lovelace(held.lovelace - fee) }),
    // The clock may have moved on by days since the newest block.
    ttlSlot: tip.slot + 100 * 86_400,
    signers: [parseWalletAddress(owner.address, 0).paymentKeyHash],
  }));
  await submitDirectly(stack, owner, built.cbor);
  return built.hash;
}
