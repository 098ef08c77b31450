import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { buildFanOut } from '../../src/cardano/build/funding.ts';
import { createLedger } from '../../src/cardano/ledger/ledger.ts';
import { readNetworkState } from '../../src/cardano/ledger/network-state.ts';
import { custodyAddressOf } from '../../src/cardano/scripts/script-addresses.ts';
import { defaultImage } from '../../src/cardano/tokens/picture.ts';
import { wallClock, secondsAfter, instant } from '../../src/platform/units/time.ts';
import { refText } from '../../src/transactions/rules.ts';
import { lovelace } from '../../src/platform/units/money.ts';
import { runCommand } from '../../src/operations/commands/commands.ts';
import { expireTransactions } from '../../src/ledger-follower/resubmit-and-expire.ts';
import { prepareMint } from '../../src/settlement/mint.ts';
import { submitTransaction } from '../../src/transactions/submit-transaction.ts';
import { prepareCreation } from '../../src/vaults/create-vault.ts';
import { findTransaction } from '../../src/transactions/queries/transactions.ts';
import { storedCosigners } from '../../src/platform/database/stored-json.ts';
import { createUnitOfWork, offsetClock } from '../../src/platform/database/unit-of-work.ts';
import { vaultTransactions } from '../../src/transactions/queries/listed-transactions.ts';
import { getVault } from '../../src/vaults/queries/vaults.ts';
import { CONFIRMATION_DEPTH, followerOf } from '../follower/follower-service.ts';
import { type ApiService, apiService, newWallet } from './api-service.ts';
import { createVault } from '../vault-lifecycle/vault-requests.ts';

const REFUSAL = 'the ledger refused it: its fee is too small (FeeTooSmallUTxO)';
/** Longer than the validity of what the platform builds. */
const THREE_HOURS = 3 * 3600;

interface VaultResponse {
  readonly data: { readonly holds: readonly { readonly reason: string }[] };
}
interface TransactionResponse {
  readonly data: { readonly status: string; readonly error: string | null };
}

/** Index of an output of the operator, which has 200 to 249; those before it carry a reference script while `carryScripts` is set. */
const FIRST_WITHOUT_SCRIPT = 245;

/**
 * The platform's part for one vault, which is created before it is to be minted, with a ledger that refuses what is sent to it while `refuses`
 * is set.
 */
async function platformOf(service: ApiService, kind: 'mint' | 'create_vault') {
  const follower = followerOf(service);
  const switches = { refuses: false, carryScripts: false };
  const marked: typeof fetch = async (target, options) => {
    const response = await fetch(target, options);
    if (!switches.carryScripts || !response.url.includes(`${service.keys.operator.address}/utxos`)) return response;
    const utxos = (await response.json()) as readonly { readonly output_index: number }[];
    const scriptOf = (index: number) => (index < FIRST_WITHOUT_SCRIPT ? 'ab'.repeat(28) : null);
    return Response.json(utxos.map((utxo) => ({ ...utxo, reference_script_hash: scriptOf(utxo.output_index) })));
  };
  const ledger = createLedger({ baseUrl: `${service.ledger.url}/api/v0`, timeoutMs: 5000, fetch: marked });
  const context = {
    ...follower.context,
    unitOfWork: createUnitOfWork(service.db, offsetClock(wallClock), { next: randomUUID }),
    ids: { next: randomUUID },
    ledger: {
      ...ledger,
      submit: (cbor: string) =>
        switches.refuses
          ? Promise.resolve({ kind: 'refused', rules: ['FeeTooSmallUTxO'] } as const)
          : ledger.submit(cbor),
    },
    networkState: () => readNetworkState({ ledger, networkId: 0 }),
    keys: service.keys,
    networkId: 0,
    tokenMetadata: { image: defaultImage },
    onSignatureRefused: (_recorded: unknown, reason: string) => alarms.push(reason),
  } as const;
  await service.ledger.mine();
  await follower.catchUp();
  const alarms: string[] = [];
  let moved = 0;
  const now = () => secondsAfter(wallClock.now(), moved);
  const find = async (id: string | undefined) => {
    const found = id === undefined ? null : await findTransaction(service.db, id);
    if (!found) throw new Error('the transaction is not recorded');
    return found;
  };
  const { address } = await service.fundedWallet();
  const vaultId = await createVault(service, address);
  if (kind === 'mint') {
    const created = await prepareCreation(context, { vaultId, now: now() });
    await submitTransaction(context, await find(created?.transactionId), now());
    await service.ledger.mine();
    await follower.catchUp();
  }
  switches.refuses = true;
  return {
    vaultId,
    switches,
    alarms,
    networkState: context.networkState,
    /** What an operator's commands work with. */
    operator: { db: service.db, unitOfWork: context.unitOfWork },
    follower,
    prepare: async (kind: 'mint' | 'create_vault') => {
      const step = kind === 'mint' ? prepareMint : prepareCreation;
      return find((await step(context, { vaultId, now: now() }))?.transactionId);
    },
    submit: async (id: string) => submitTransaction(context, await find(id), now()),
    /** Lets the validity of everything pass. */
    async expire(): Promise<void> {
      moved += THREE_HOURS;
      await service.advance(THREE_HOURS);
      await service.ledger.mine(CONFIRMATION_DEPTH + 1);
      await follower.catchUp();
      await expireTransactions(context);
    },
  };
}

test.each(['create_vault', 'mint'] as const)(
  'a refused %s says why, holds its vault, and is replaced by one that spends other outputs, none with a reference script',
  async (kind) => {
    await using service = await apiService();
    const platform = await platformOf(service, kind);
    const { vaultId } = platform;
    const refused = await platform.prepare(kind);
    const read = async () => {
      const { data } = (await service.api.get<TransactionResponse>(`/transactions/${refused.hash}`)).body;
      return [data.status, data.error];
    };
    const holds = async () => (await service.api.get<VaultResponse>(`/vaults/${vaultId}`)).body.data.holds;

    expect(await platform.submit(refused.id)).toBe('done');
    expect(await read()).toEqual(['submitted', REFUSAL]);
    expect(await holds()).toMatchObject([{ reason: 'repeated_failures' }]);
    // It may still be confirmed through another node until then.
    expect((await platform.prepare(kind)).id).toBe(refused.id);

    await platform.expire();
    expect(await read()).toEqual(['expired', `its validity has passed; ${REFUSAL}`]);
    platform.switches.carryScripts = true;
    const rebuilt = await platform.prepare(kind);
    const spent = new Set(refused.inputs.map(refText));
    expect(rebuilt.inputs.filter((input) => spent.has(refText(input)))).toEqual([]);
    expect(refused.inputs.filter(({ index }) => index >= FIRST_WITHOUT_SCRIPT)).toEqual([]);
    expect(rebuilt.inputs.filter(({ index }) => index < FIRST_WITHOUT_SCRIPT)).toEqual([]);

    platform.switches.refuses = false;
    await platform.submit(rebuilt.id);
    await service.ledger.mine();
    await platform.follower.catchUp();
    expect(await holds()).toEqual([]);
  },
);

test.each(['create_vault', 'mint'] as const)(
  'a %s whose row pays a thief is not signed, holds its vault until an operator ends that, and the next one is signed',
  async (kind) => {
    await using service = await apiService();
    const platform = await platformOf(service, kind);
    const { vaultId, switches } = platform;
    switches.refuses = false;
    const { id, inputs, ttlSlot } = await platform.prepare(kind);
    const thief = { address: newWallet().address, keyHash: service.keys.operator.keyHash, utxos: inputs };
    const chain = await platform.networkState();
    const forged = buildFanOut(chain, { operator: thief, count: 1, lovelace: lovelace(2_000_000n), ttlSlot });
    const forge = 'update chain_transactions set unsigned_cbor = $2, hash = $3, required_signers = $4 where id = $1';
    await service.sql.query(forge, [id, forged.cbor, forged.hash, forged.requiredSigners]);

    expect(await platform.submit(id)).toBe('done');
    const rows = await service.sql.run`select state, signed_cbor from chain_transactions where id = ${id}`;
    expect(rows).toEqual([{ state: 'failed', signed_cbor: null }]);
    expect(platform.alarms).toEqual([`it pays ${thief.address}`]);
    const holds = async () => (await service.api.get<VaultResponse>(`/vaults/${vaultId}`)).body.data.holds;
    expect(await holds()).toMatchObject([{ reason: 'unjustified_transaction' }]);

    const honest = await platform.prepare(kind);
    expect(honest.id).not.toBe(id);
    await platform.submit(honest.id);
    await service.ledger.mine();
    await platform.follower.catchUp();
    expect((await platform.prepare(kind)).state).toBe('confirmed');
    expect(await holds()).toMatchObject([{ reason: 'unjustified_transaction' }]);
    expect(await runCommand({ ...platform.operator, ledger: null }, ['holds', 'end', vaultId])).toMatchObject({
      ok: true,
    });
    expect(await holds()).toEqual([]);
    expect(await runCommand({ ...platform.operator, ledger: null }, ['holds', 'end', vaultId])).toMatchObject({
      ok: false,
    });
  },
);

test('a mint that was given up and was confirmed is found by its hash, and no other is built', async () => {
  await using service = await apiService();
  const platform = await platformOf(service, 'mint');
  platform.switches.refuses = false;
  const mint = await platform.prepare('mint');
  await platform.submit(mint.id);
  await service.sql.run`update chain_transactions set state = 'expired' where id = ${mint.id}`;
  await service.ledger.mine();
  await expect(platform.prepare('mint')).rejects.toThrow(`${mint.hash} is on the ledger: nothing replaces it`);
  await platform.follower.catchUp();
  expect((await platform.prepare('mint')).id).toBe(mint.id);
});

test('a vault is created once: no row has the worker sign another creation, to the custody of other cosigners', async () => {
  await using service = await apiService();
  const platform = await platformOf(service, 'mint');
  const { vaultId, switches, alarms } = platform;
  switches.refuses = false;
  const [created] = await vaultTransactions(service.db, vaultId, ['create_vault']);
  // As who writes Postgres hides the first one, and names a cosigner of their own.
  await service.sql.run`update chain_transactions set kind = 'refund', state = 'final' where id = ${created?.id}`;
  const { vaultKeyHash } = await getVault(service.db, vaultId);
  const cosigners = {
    required: 1,
    keyHashes: [newWallet().keyHash],
    alone: { from: instant(0), fromSlot: 900_000_000 },
  };
  const { address } = custodyAddressOf({ vaultKeyHash, cosigners }, 0);
  await service.sql.run`update vaults
      set custody = ${JSON.stringify(storedCosigners(cosigners))}, contract_address = ${address} where id = ${vaultId}`;
  const second = await platform.prepare('create_vault');
  expect(second.outputs.some((output) => output.address === address)).toBe(true);
  expect(await platform.submit(second.id)).toBe('done');
  expect(alarms).toEqual([`transaction ${created?.hash} has created this vault`]);
});
