import type { LedgerInput } from '../cardano/build/preflight.ts';
import type { NetworkState } from '../cardano/ledger/network-state.ts';
import type { SigningKey } from '../cardano/keys/keys.ts';
import { mergeWitnesses, signTransaction } from '../cardano/keys/witnesses.ts';
import { refText } from './rules/utxo-ref.ts';
import { decodeTransaction } from '../signing-policy/decode-transaction.ts';
import type { PlatformKey } from '../signing-policy/rule.ts';
import type { ChainTransaction } from './queries/chain-transactions.ts';
import { storeSigned } from './queries/transaction-changes.ts';
import { keyIndexesOf } from '../vaults/queries/vault-keys.ts';
import type { EvidenceContext } from '../signing-policy/evidence/evidence-context.ts';
import { requireJustified } from './require-justified.ts';
import { requireSoleMint } from '../signing-policy/sole-mint.ts';
import type { WorkerContext } from '../worker-context.ts';

type SigningContext = EvidenceContext & Pick<WorkerContext, 'operatorBudget'>;

/** When a transaction is signed, and what its inputs hold then. */
export interface SigningMoment {
  readonly slot: number;
  readonly chain: NetworkState;
  /** Reads what they hold, by reference. */
  readonly spent: () => Promise<ReadonlyMap<string, LedgerInput>>;
}

/**
 * Adds the platform's signatures to those of the wallets, and stores the signed bytes. Returns them as CBOR in hex; null when the
 * transaction has been given up meanwhile. Throws TRANSACTION_NOT_JUSTIFIED for what the platform does not sign, OPERATOR_BUDGET_SPENT for
 * what it does not sign today, UnknownInputError, and LEDGER_UNAVAILABLE.
 */
export async function signRecorded(
  context: SigningContext,
  recorded: ChainTransaction,
  moment: SigningMoment,
): Promise<string | null> {
  const keys = await signingKeys(context, recorded);
  if (keys.length > 0) await requireKeysJustified(context, recorded, keys, moment);
  const merged = mergeWitnesses(recorded.unsignedCbor, recorded.witnesses);
  const signed = keys.length === 0 ? merged : signTransaction(merged, keys);
  return (await storeSigned(context.db, recorded.id, signed)) ? signed : null;
}

/** An output that the transaction spends is not known yet, or not any more: nobody can say what it would move. */
export class UnknownInputError extends Error {
  override readonly name = 'UnknownInput';
}

async function requireKeysJustified(
  context: SigningContext,
  recorded: ChainTransaction,
  keys: readonly NamedKey[],
  { slot, chain, spent: read }: SigningMoment,
): Promise<void> {
  // Nothing is read for what waits until tomorrow.
  if (keys.some(({ name }) => name === 'operator')) context.operatorBudget.requireRoom(recorded.kind);
  const spent = await read();
  const unknown = recorded.inputs.find((input) => !spent.has(refText(input)));
  if (unknown) throw new UnknownInputError(`input ${refText(unknown)} is not on the ledger`);
  const asked = keys.map(({ name }) => name);
  const paid = await requireJustified(context, { recorded, asked, spent, slot, chain });
  const policyKey = keys.find(({ name }) => name === 'policy');
  if (recorded.kind === 'mint' && policyKey) {
    const mint = decodeTransaction(recorded.unsignedCbor);
    requireSoleMint(context.ledger, { policyKeyHash: policyKey.keyHash, slot: chain.anchor.slot, mint });
  }
  context.operatorBudget.pay(recorded.kind, paid, recorded.hash);
}

interface NamedKey extends SigningKey {
  readonly name: PlatformKey;
}

/** The platform's keys among the required signers. */
async function signingKeys(
  { db, keys }: EvidenceContext,
  { requiredSigners, platformSigners, vaultId, signer }: ChainTransaction,
): Promise<NamedKey[]> {
  // A signature that is not required would cost a fee that nobody has paid.
  const required = requiredSigners.filter((key) => signer !== 'wallet' || platformSigners.includes(key));
  if (required.length === 0) return [];
  const indexes = vaultId === null ? [] : await keyIndexesOf(db, vaultId, required);
  const own = [
    { ...keys.operator, name: 'operator' as const },
    ...indexes.map((index) => ({ ...keys.vaultKey(index), name: 'vault' as const })),
    ...indexes.map((index) => ({ ...keys.policyKey(index), name: 'policy' as const })),
  ];
  return own.filter(({ keyHash }) => required.includes(keyHash));
}
