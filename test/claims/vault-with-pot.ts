import { randomBytes, randomUUID } from 'node:crypto';
import { claimsScript } from '../../src/cardano/scripts/vault-scripts.ts';
import { signTransaction, mergeWitnesses } from '../../src/cardano/keys/witnesses.ts';
import { createIds } from '../../src/platform/units/ids.ts';
import { instant } from '../../src/platform/units/time.ts';
import { moveTransaction } from '../../src/ledger-follower/effects.ts';
import { findTransactionByHash } from '../../src/transactions/queries/transactions.ts';
import { unsentClaimsBefore } from '../../src/termination/queries/claims.ts';
import type { StateChange } from '../../src/transactions/queries/changes.ts';
import { keyIndexesOf } from '../../src/vaults/queries/vaults.ts';
import { recordTransaction } from '../governance/record-transaction.ts';
import { keyAddress, scriptAddress } from '../../src/cardano/scripts/address.ts';
import type { ApiService } from '../vaults/api-service.ts';
import { vaultBody } from '../vaults/create-vault-body.ts';

/** Min-ADA of an output with tokens: what the operator lends to each output of the pot. */
export const FLOAT = 1_200_000n;
const SUPPLY = 1_000_000_000_000n;

interface Holding {
  readonly address: string;
  /** Base units. */
  readonly tokens: bigint;
  readonly lovelace?: bigint;
}

interface Pot {
  /** Lovelace that holders share, by output. */
  readonly outputs: readonly bigint[];
  readonly type?: 'PUBLIC' | 'PRIVATE';
  /** The recipient of what nobody claims. */
  readonly unclaimedTo?: string;
}

/** A vault of which holders can claim: its pot is at its claims address, and tokens that nobody is given here circulate nowhere. */
export async function vaultWithPot(
  service: Pick<ApiService, 'api' | 'sql' | 'ledger'>,
  holders: readonly Holding[],
  pot: Pot,
) {
  const { type = 'PUBLIC', unclaimedTo = null } = pot;
  const body = { ...vaultBody(keyAddress(randomBytes(28).toString('hex'), 0)), vault_type: type, privacy_type: type };
  const created = await service.api.post<{ vault_id: string }>('/vaults', body);
  const vaultId = created.body.vault_id;
  const assetNameHex = `0014df10${randomBytes(8).toString('hex')}`;
  let ftUnit = '';
  for (const { address, tokens, lovelace = 5_000_000n } of holders) {
    const assets = [{ assetNameHex, quantity: tokens.toString() }];
    const { policyId } = await service.ledger.faucet({ address, lovelace: lovelace.toString(), assets });
    ftUnit = `${policyId}${assetNameHex}`;
  }
  const rows = await service.sql.run<{ key: string }>`update vaults
      set status = 'LOCKED', locked_at = now(), failed_because = 'liquidated', ft_unit = ${ftUnit}
      where id = ${vaultId}
      returning vault_key_hash as key`;
  const potAddress = scriptAddress(claimsScript({ vaultKeyHash: rows[0]?.key ?? '' }), 0);
  const circulating = holders.reduce((sum, { tokens }) => sum + tokens, 0n);
  const kept = [{ assetNameHex, quantity: (SUPPLY - circulating).toString() }];
  for (const [index, share] of pot.outputs.entries())
    await addPotOutput(service, { vaultId, potAddress }, share + FLOAT, index === 0 ? kept : []);
  await service.ledger.mine();
  await service.sql.run`insert into terminations (vault_id, decided_at, unclaimed_lovelace_to, claim_seconds,
       float_lovelace, pot_lovelace,
       circulating, claims_opened_at, claim_deadline)
     values (${vaultId}, now(), ${unclaimedTo}, 7776000, ${(FLOAT * BigInt(pot.outputs.length)).toString()}, ${pot.outputs.reduce((sum, share) => sum + share, 0n).toString()}, ${circulating.toString()}, now() - interval '1 h', now() + interval '90 days')`;
  return { vaultId, ftUnit, potAddress };
}

/** Puts an output at the claims address of a vault as if a transaction of this kind had made it. */
export async function addPotOutput(
  service: Pick<ApiService, 'sql' | 'ledger'>,
  { vaultId, potAddress }: { readonly vaultId: string; readonly potAddress: string },
  lovelace: bigint,
  assets: readonly { readonly assetNameHex: string; readonly quantity: string }[] = [],
  kind = 'gather_pot',
): Promise<void> {
  const { txHash } = await service.ledger.faucet({ address: potAddress, lovelace: lovelace.toString(), assets });
  await recordTransaction(service, vaultId, txHash, kind);
}

/** The pot as the database counts it. */
export async function countedPot(
  { sql }: ApiService,
  vaultId: string,
): Promise<{ lovelace: bigint; circulating: bigint }> {
  const [row] = await sql.run<{ pot_lovelace: string; circulating: string }>`select pot_lovelace, circulating
      from terminations where vault_id = ${vaultId}`;
  return { lovelace: BigInt(row?.pot_lovelace ?? -1), circulating: BigInt(row?.circulating ?? -1) };
}

/** What the ledger holds at an address. */
export async function heldAt({ ledger }: Pick<ApiService, 'ledger'>, address: string, unit: string) {
  type Utxo = { readonly amount: readonly { readonly unit: string; readonly quantity: string }[] };
  const utxos = (await ledger.query<readonly Utxo[]>(`/addresses/${address}/utxos`)) ?? [];
  const sumOf = (wanted: string) =>
    utxos
      .flatMap(({ amount }) => amount.filter((held) => held.unit === wanted))
      .reduce((sum, { quantity }) => sum + BigInt(quantity), 0n);
  return { lovelace: sumOf('lovelace'), tokens: sumOf(unit), outputs: utxos.length };
}

/** Signs and sends a transaction as the worker does, in a block of its own unless others wait for it, and records its block. */
export async function land(service: ApiService, hash: string): Promise<void> {
  await send(service, hash);
  await service.ledger.mine();
  await changeState(service, hash, { to: 'confirmed', block: { height: 5, hash: 'a block' } });
}

/** Signs a recorded transaction with the key of its vault and sends it, after the claims that it spends from. */
export async function send(service: ApiService, hash: string): Promise<void> {
  const transaction = await findTransactionByHash(service.db, hash);
  if (!transaction?.vaultId) throw new Error(`no transaction of a vault has the hash ${hash}`);
  if (transaction.state === 'submitted') return;
  for (const earlier of await unsentClaimsBefore(service.db, transaction)) await send(service, earlier.hash);
  const [index = 0] = await keyIndexesOf(service.db, transaction.vaultId, transaction.requiredSigners);
  const key = service.keys.vaultKey(index);
  const { operator } = service.keys;
  const own = transaction.requiredSigners.includes(operator.keyHash) ? [operator] : [];
  const merged = mergeWitnesses(transaction.unsignedCbor, transaction.witnesses);
  const answer = await service.ledger.submit(signTransaction(merged, [key, ...own]));
  if (answer.status !== 200) throw new Error(`the ledger answered ${answer.status}: ${answer.text}`);
  if (transaction.state === 'pending') await changeState(service, hash, { to: 'submitted' });
}

/** Changes the state of a transaction as the ledger follower does. */
export async function changeState({ db }: ApiService, hash: string, change: StateChange): Promise<void> {
  const now = () => instant(Date.now());
  const ids = createIds({ clock: { now }, random: randomBytes });
  await db.transaction().execute(async (tx) => {
    const transaction = await findTransactionByHash(tx, hash);
    if (!transaction) throw new Error(`no transaction has the hash ${hash}`);
    await moveTransaction({ tx, ids, now: now() }, transaction, change);
  });
}

/** Tokens of a wallet in an unfinished stake, in the database alone. */
export async function recordStake({ sql }: ApiService, vaultId: string, wallet: string, amount: bigint): Promise<void> {
  await sql.run`insert into stakes (id, vault_id, wallet, amount, status, staked_at, owner_alone_from, release_slot,
       script_address,
       vault_key_hash, stake_transaction_id, updated_at)
     values (${randomUUID()}, ${vaultId}, ${wallet}, ${amount.toString()}, 'ACTIVE', now(), now(), 0, '', '', (select id from chain_transactions limit 1), now())`;
}
