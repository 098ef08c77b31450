import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { buildBalanced } from '../../src/cardano/build/funding.ts';
import { createLedger } from '../../src/cardano/ledger/ledger.ts';
import { readNetworkState } from '../../src/cardano/ledger/network-state.ts';
import { readWitnessSet } from '../../src/cardano/keys/witnesses.ts';
import { paymentKeyHashOf, readBech32 } from '../../src/cardano/scripts/address.ts';
import type { Utxo } from '../../src/cardano/transaction.ts';
import type { ProposalEffect } from '../../src/proposals/rules/effects.ts';
import type { TransactionKind } from '../../src/transactions/rules.ts';
import { decodeTransaction } from '../../src/signing-policy/decoder.ts';
import { ruleRegister } from '../../src/signing-policy/register.ts';
import { offsetClock } from '../../src/platform/database/unit-of-work.ts';
import { slotAt } from '../../src/cardano/ledger/slots.ts';
import { wallClock } from '../../src/platform/units/time.ts';
import { findTransactionByHash } from '../../src/transactions/queries/transactions.ts';
import type { Transaction } from '../../src/platform/database/database.ts';
import { storedUtxo } from '../../src/platform/database/stored-json.ts';
import { getVault } from '../../src/vaults/queries/vaults.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { type Person, person } from '../vault-lifecycle/participants.ts';
import type { WrittenRow } from './worker-signing.ts';

/** What a row can be forged of: a kind of transaction, and of executions each effect. */
export type Forged = Exclude<TransactionKind, 'execute'> | ProposalEffect['type'] | 'STAKE back';

export const thief = person(666);

/** The row of a transaction that the worker has signed says instead that everything it pays goes to a thief, with whom its signers conspire. */
export async function everythingToThief(
  tx: Transaction,
  hash: string,
  conspirators: readonly Person[],
): Promise<WrittenRow> {
  const honest = await findTransactionByHash(tx, hash);
  if (!honest?.signedCbor) throw new Error(`the worker has not signed ${hash}`);
  const cbor = honest.outputs.reduce((bytes, { address }) => replaced(bytes, address), honest.unsignedCbor);
  const { requiredSigners, cosigners } = honest;
  const needed = [...requiredSigners, ...(cosigners?.keyHashes ?? [])];
  const signers = conspirators.filter(({ address }) => needed.includes(paymentKeyHashOf(address)));
  const witnesses = signers.flatMap(({ sign }) => readWitnessSet(sign(cbor)));
  await tx
    .updateTable('chain_transactions')
    .set({ unsigned_cbor: cbor, hash: decodeTransaction(cbor).hash, witnesses: JSON.stringify(witnesses) })
    .set({ state: 'pending', signed_cbor: null, block_height: null, block_hash: null })
    .where('id', '=', honest.id)
    .execute();
  return { id: honest.id, at: honest.createdAt };
}

function replaced(cbor: string, address: string): string {
  return cbor.replaceAll(inCbor(address), inCbor(thief.address));
}

/** An address as outputs have it: a string of 29 bytes. */
function inCbor(address: string): string {
  return `581d${Buffer.from(readBech32(address)?.bytes ?? []).toString('hex')}`;
}

interface Theft {
  readonly kind: TransactionKind;
  readonly vaultId: string;
  readonly spends: readonly Utxo[];
}

/** A row of a kind of which the vault has none: it spends what the platform guards, and pays a thief. */
export async function newTheft(
  { ledger: { url } }: Pick<TestStack, 'ledger'>,
  tx: Transaction,
  { kind, vaultId, spends }: Theft,
): Promise<WrittenRow> {
  const ledger = createLedger({ baseUrl: `${url}/api/v0`, timeoutMs: 5000 });
  const [chain, required] = [await readNetworkState({ ledger, networkId: 0 }), await platformKeys(tx, kind, vaultId)];
  // The clock may have moved on by days since the newest block.
  const { now } = await offsetClock(wallClock).within(tx);
  const ttlSlot = slotAt(chain.anchor, now) + 900;
  const payer = { address: thief.address, keyHash: paymentKeyHashOf(thief.address), utxos: spends };
  const { cbor, hash, inputs } = buildBalanced(chain.parameters, payer, { outputs: [], ttlSlot });
  const id = randomUUID();
  await sql`insert into chain_transactions (id, kind, vault_id, owner_workflow, signer, hash, unsigned_cbor, inputs, outputs,
      required_signers, fee, ttl_slot, expires_at, state, created_at, updated_at)
    values (${id}, ${kind}, ${vaultId}, 'forged', 'platform', ${hash}, ${cbor}, ${JSON.stringify(inputs.map(storedUtxo))}, '[]',
      ${required}, 0, ${ttlSlot}, now(), 'pending', now(), now())`.execute(tx);
  return { id };
}

/** The keys that may sign a kind of transaction; those of wallets' own are asked of the operator. */
async function platformKeys(tx: Transaction, kind: TransactionKind, vaultId: string): Promise<string[]> {
  const { vaultKeyHash: vault, policyKeyHash: policy } = await getVault(tx, vaultId);
  const { operator_key_hash: operator } = await tx
    .selectFrom('platform')
    .select('operator_key_hash')
    .executeTakeFirstOrThrow();
  const { keys } = ruleRegister[kind];
  return keys.length === 0 ? [operator] : keys.map((key) => ({ operator, vault, policy })[key]);
}
