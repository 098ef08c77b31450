import { randomUUID } from 'node:crypto';
import { createLedger } from '../../src/cardano/ledger/ledger.ts';
import { paymentKeyHashOf, scriptAddress } from '../../src/cardano/scripts/address.ts';
import { stakeAddressOf } from '../../src/cardano/scripts/script-addresses.ts';
import { claimsScript } from '../../src/cardano/scripts/vault-scripts.ts';
import type { Utxo } from '../../src/cardano/transaction.ts';
import type { ProposalEffect } from '../../src/proposals/rules/effects.ts';
import type { TransactionKind } from '../../src/transactions/rules.ts';
import type { ChainTransaction } from '../../src/transactions/queries/transactions.ts';
import type { Db, Transaction } from '../../src/platform/database/database.ts';
import { vaultTransactions } from '../../src/transactions/queries/listed-transactions.ts';
import { getVault } from '../../src/vaults/queries/vaults.ts';
import { canaries } from '../secrets/canaries.ts';
import { deriveKeys } from '../../src/cardano/keys/keys.ts';
import type { TestStack } from '../stack/test-stack.ts';
import type { Person } from '../vault-lifecycle/participants.ts';
import { everythingToThief, type Forged, newTheft, thief } from './forgeries.ts';
import { workerSigning, type WorkerSigning, type WrittenRow } from './worker-signing.ts';

const paysThief = new RegExp(`^it pays ${thief.address}$`);
/** What returns to owners is evaluated by their keys: there is no such deposit or stake of a thief. */
const ofNoThief = /^it spends an output at addr_test1/;
/** What rows alone would have to show is on the ledger. */
const isDone = {
  created: /^transaction [0-9a-f]{64} has created this vault$/,
  custody: /^its vault was created with the custody /,
};
const ofWallets = /^its kind is not signed by operator$/;
const movesAssets = /^other assets than meant move at addr_test1/;

/** Why the worker refuses each; a kind or an effect without an entry does not compile. */
const expected: Readonly<Record<Forged, RegExp>> = {
  create_vault: isDone.created,
  add_asset: paysThief,
  remove_asset: ofNoThief,
  remove_investment: ofNoThief,
  invest: ofWallets,
  stake: ofWallets,
  unstake: ofNoThief,
  mint: isDone.custody,
  deliver: /^it divides the settlement$/,
  liquidity: paysThief,
  refund: ofNoThief,
  fan_out: paysThief,
  anchor: paysThief,
  return_unsolicited: /^the platform has signed the transaction that made /,
  gather_pot: paysThief,
  hand_over: paysThief,
  pay_remainder: paysThief,
  close_vault: paysThief,
  claim: movesAssets,
  move_custody: paysThief,
  move_kept: paysThief,
  ASSET_SALE: /^addr_test1\w+ lose \d+ lovelace, above -300000000$/,
  BUY: movesAssets,
  STAKE: paysThief,
  'STAKE back': paysThief,
  LIQUIDATE: paysThief,
};

/** Those of which a settled vault that has ended has made transactions. */
const made = [
  ...(['create_vault', 'deliver', 'liquidity', 'move_custody', 'move_kept'] as const),
  ...(['gather_pot', 'hand_over', 'pay_remainder', 'close_vault', 'anchor'] as const),
] satisfies readonly TransactionKind[];

/**
 * Forges rows of a vault as it lives, which the worker is asked to sign; none of them changes anything. What is to be expected, and what was
 * seen, is compared at its end.
 */
export function forgedLife(stack: TestStack, conspirators: readonly Person[]) {
  const worker = workerSigning(stack);
  const seen: Partial<Record<Forged, string>> = {};
  const refuse = async (forged: Forged, write: (tx: Transaction) => Promise<WrittenRow>) => {
    seen[forged] = await worker.refusalOf(write);
  };
  const pay = (forged: Forged, hash: string, more = (_: Transaction) => Promise.resolve<unknown>(null)) =>
    refuse(forged, async (tx) => {
      await more(tx);
      return everythingToThief(tx, hash, conspirators);
    });
  const steal = (kind: Exclude<TransactionKind, 'execute'>, vaultId: string, spends: readonly Utxo[]) =>
    refuse(kind, (tx) => newTheft(stack, tx, { kind, vaultId, spends }));
  return {
    seen,
    expected,
    /** An execution that has just been signed by the conspirators. */
    execution: (effect: ProposalEffect['type'] | 'STAKE back', hash: string) => pay(effect, hash),
    [Symbol.asyncDispose]: worker[Symbol.asyncDispose],
    /** What an owner has staked. */
    async stake(vaultId: string, owner: Person): Promise<void> {
      const spends = await stakedOutputs(stack, worker.db, vaultId, owner);
      await refuse('unstake', async (tx) => {
        const row = await newTheft(stack, tx, { kind: 'unstake', vaultId, spends });
        const ofOwner = tx.updateTable('stakes').where('vault_id', '=', vaultId).where('wallet', '=', owner.address);
        await ofOwner.set({ unstake_transaction_id: row.id }).execute();
        return row;
      });
    },
    /** What remains, once the vault has ended. */
    async end(vaultId: string): Promise<void> {
      const honest = await lifeOf(worker, vaultId);
      for (const kind of made) await pay(kind, honest(kind).hash);
      // Its deposits have moved: a plan without any is one that a thief can write now.
      const emptyPlan = (tx: Transaction) => tx.deleteFrom('entitlements').where('vault_id', '=', vaultId).execute();
      await pay('mint', honest('mint').hash, emptyPlan);
      const { settlementAddress, vaultKeyHash } = await getVault(worker.db, vaultId);
      const deposits = honest('deliver').inputs.filter(({ address }) => address !== settlementAddress);
      for (const kind of ['remove_asset', 'remove_investment', 'refund'] as const) await steal(kind, vaultId, deposits);
      const { operator } = deriveKeys(canaries.operatorMnemonic, 0);
      const funds = honest('mint').outputs.filter(({ address }) => address === operator.address);
      for (const kind of ['add_asset', 'invest', 'stake', 'fan_out'] as const) await steal(kind, vaultId, funds);
      await steal('return_unsolicited', vaultId, honest('move_custody').outputs.slice(0, 1));
      const claims = scriptAddress(claimsScript({ vaultKeyHash }), 0);
      const pot = honest('gather_pot').outputs.filter(({ address }) => address === claims);
      await refuse('claim', async (tx) => {
        const row = await newTheft(stack, tx, { kind: 'claim', vaultId, spends: pot });
        await insertClaim(tx, vaultId, row);
        return row;
      });
    },
  };
}

/** One of a thief, for a single unit of the token and all ADA there could be. */
async function insertClaim(tx: Transaction, vaultId: string, { id }: WrittenRow): Promise<void> {
  const times = { created_at: new Date(), updated_at: new Date() };
  const of = { id: randomUUID(), vault_id: vaultId, wallet: thief.address, claim_transaction_id: id };
  const huge = { amount: 1n, payout: 10n ** 15n, status: 'PENDING' } as const;
  await tx
    .insertInto('claims')
    .values({ ...of, ...huge, ...times })
    .execute();
}

/** Reads the transaction of each kind that the worker has signed for a vault; anchors are of no vault. */
async function lifeOf({ db }: WorkerSigning, vaultId: string) {
  const transactions = await vaultTransactions(db, vaultId, [...made, 'mint']);
  // One that another has replaced carries no batch.
  const anchors = await db
    .selectFrom('chain_transactions')
    .innerJoin('anchor_batches', 'anchor_batches.transaction_id', 'chain_transactions.id')
    .select('hash')
    .where('signed_cbor', 'is not', null)
    .limit(1)
    .execute();
  const found = new Map(transactions.map((one) => [one.kind, one]));
  return (kind: TransactionKind): ChainTransaction => {
    const one = kind === 'anchor' ? (anchors[0] as ChainTransaction | undefined) : found.get(kind);
    if (!one) throw new Error(`the vault has made no ${kind}`);
    return one;
  };
}

/** What an owner has staked on the ledger. */
async function stakedOutputs({ ledger: { url } }: TestStack, db: Db, vaultId: string, owner: Person) {
  const { release_slot: releaseSlot, vault_key_hash: vaultKeyHash } = await db
    .selectFrom('stakes')
    .select(['release_slot', 'vault_key_hash'])
    .where('vault_id', '=', vaultId)
    .where('wallet', '=', owner.address)
    .executeTakeFirstOrThrow();
  const staking = { ownerKeyHash: paymentKeyHashOf(owner.address), releaseSlot: Number(releaseSlot) };
  const { address } = stakeAddressOf({ vaultKeyHash }, staking, 0);
  return createLedger({ baseUrl: `${url}/api/v0`, timeoutMs: 5000 }).utxos(address);
}
