import { expect, test } from '@jest/globals';
import { writeBech32 } from '../../src/cardano/scripts/address.ts';
import { readWalletAddress } from '../../src/cardano/scripts/address.ts';
import {
  contribute,
  fundWallet,
  holdings,
  invest,
  type Person,
  person,
  waitForTransaction,
} from '../vault-lifecycle/participants.ts';
import { advance, waitForVaultStatus, createVault } from '../vault-lifecycle/vault-requests.ts';
import { expectBooks } from '../books/expect-books.ts';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { apiService, type ApiService, newWallet } from './api-service.ts';
import { giveAsVault } from './give-as-vault.ts';
import {
  addressesOf,
  type UnsolicitedOutput,
  listUnsolicited,
  scanUnsolicited,
  sendUnsolicited,
} from './unsolicited-scan.ts';
import { vaultBody } from './create-vault-body.ts';
import { errorResponse } from '../stack/error-response.ts';

const refs = (outputs: readonly UnsolicitedOutput[]) => outputs.map(({ txHash, index }) => ({ txHash, index }));
const keyHashOf = ({ address }: Person): string => {
  const read = readWalletAddress(address, 0);
  return typeof read === 'string' ? '' : read.paymentKeyHash;
};

interface Returned {
  readonly data: { readonly fee: string; readonly transaction: { readonly hash: string } };
}

/** Creates a vault with one asset and one investment, both final. */
async function filledVault(stack: TestStack, contributor: Person, investor: Person, name: string): Promise<string> {
  const overrides = { asset: { asset_window_duration: '01:00:00' }, investment: { investment_window_duration: '24h' } };
  const vaultId = await createVault(stack, contributor.address, overrides);
  const policyId = await fundWallet(stack, contributor, { ada: 200, assets: { [name]: 1 } });
  await fundWallet(stack, investor, { ada: 1000 });
  await stack.ledger.setPrice({ policyId, lovelace: '500000000' });
  await waitForVaultStatus(stack, vaultId, 'ACTIVE');
  const given = await contribute(stack, vaultId, contributor, { policyId, name });
  const invested = await invest(stack, vaultId, investor, 300_000_000);
  for (const { hash } of [given, invested]) await waitForTransaction(stack, hash, ['final']);
  return vaultId;
}

/** Reads the figures, entitlements and transactions of a settlement without ids, so that two vaults can be compared. */
async function settlementOf({ sql }: TestStack, vaultId: string) {
  const plan = await sql.run<{ figures: string[] }>`select array[distribution ->> 'value', distribution ->> 'invested',
      distribution ->> 'lpLovelace',
      distribution ->> 'lpFt'] as figures from settlements where vault_id = ${vaultId}`;
  const shares = await sql.run`select deposit_kind, position, ft, lovelace from entitlements
      where vault_id = ${vaultId} order by position`;
  const moved = await sql.run`select kind, fee, jsonb_array_length(inputs) as inputs, jsonb_path_query_array(outputs,
      '$[*].lovelace') as outputs
      from chain_transactions where vault_id = ${vaultId} and kind in ('deliver', 'liquidity') order by created_at, id`;
  return { plan, shares, moved };
}

test('unsolicited outputs are listed, do not change the settlement, and are returned once', async () => {
  await using stack = await testStack({ lyingLedger: true });
  const [contributor, investor] = [person(401), person(402)];
  const [plainContributor, plainInvestor] = [person(403), person(404)];
  const vaultId = await filledVault(stack, contributor, investor, 'Barn');
  const plainId = await filledVault(stack, plainContributor, plainInvestor, 'Shed');
  const places = await addressesOf(stack, vaultId, keyHashOf(contributor));
  const sent: [string, string][] = [];
  for (const [place, address] of Object.entries(places)) sent.push([await sendUnsolicited(stack, address), place]);

  await scanUnsolicited(stack);
  const found = await listUnsolicited(stack, vaultId);
  const hashAndPlace = (outputs: readonly UnsolicitedOutput[]) =>
    outputs.map(({ txHash, place }) => `${txHash} ${place}`).sort();
  expect(hashAndPlace(found)).toEqual(sent.map(([hash, place]) => `${hash} ${place}`).sort());
  expect(found.find(({ place }) => place === 'deposit')).toMatchObject({
    depositor: contributor.address,
    lovelace: '20000000',
    assets: [{ quantity: '7' }],
    status: 'PRESENT',
    returnable: true,
  });
  expect(await listUnsolicited(stack, plainId)).toEqual([]);

  await advance(stack, 86_400);
  for (const id of [vaultId, plainId]) await waitForVaultStatus(stack, id, 'LOCKED');
  expect(await settlementOf(stack, vaultId)).toEqual(await settlementOf(stack, plainId));
  await giveAsVault(stack, plainId, places.custody);
  await scanUnsolicited(stack);
  const gifts = await listUnsolicited(stack, vaultId);
  expect(gifts.map(({ status }) => status)).toEqual(Array(5).fill('PRESENT'));
  const { remains } = await expectBooks(stack, vaultId);
  expect(remains.filter(({ reason }) => reason === 'unsolicited').map(({ place }) => place)).toHaveLength(5);
  expect(await listUnsolicited(stack, plainId)).toEqual([]);

  const { api } = stack;
  // What lies at the contributor's deposit address can go to no other key.
  const ownerAlone = writeBech32(`00${keyHashOf(contributor)}${'ab'.repeat(28)}`);
  const body = { outputs: refs(gifts), address: ownerAlone };
  const path = `/vaults/${vaultId}/unsolicited/returns`;
  const elsewhere = { ...body, address: newWallet().address };
  // The worker asks who has signed what was sent: a backend that lags behind is no reason to refuse the return.
  let unknown = 0;
  stack.liar.lie(({ path: asked }) => (asked.endsWith('/cbor') && (unknown += 1) <= 3 ? 'lie' : 'honest'));
  expect(await api.post(path, elsewhere)).toMatchObject(errorResponse(400, 'UNSOLICITED_OUTPUT_OF_OWNER'));
  const answers = await Promise.all([api.post<Returned>(path, body), api.post<Returned>(path, body)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
  expect(answers.find(({ status }) => status === 400)).toMatchObject(errorResponse(400, 'UNSOLICITED_OUTPUT_LEAVING'));
  const won = answers.find(({ status }) => status === 201)?.body.data;
  await waitForTransaction(stack, won?.transaction.hash ?? '', ['final']);
  expect(unknown).toBeGreaterThan(3);
  await scanUnsolicited(stack);
  const after = (await api.get<{ data: { outputs: UnsolicitedOutput[] } }>(`/vaults/${vaultId}/unsolicited`)).body.data
    .outputs;
  expect(after.map(({ status, returnable }) => [status, returnable])).toEqual(Array(5).fill(['RETURNED', false]));
  await expectBooks(stack, vaultId);
  const held = await holdings(stack, ownerAlone);
  expect(held.get('lovelace')).toBe(100_000_000n - BigInt(won?.fee ?? 0));
  held.delete('lovelace');
  expect([...held.values()].reduce((sum, quantity) => sum + quantity)).toBe(28n);
  expect(await api.post(path, body)).toMatchObject(errorResponse(400, 'UNSOLICITED_OUTPUT_LEAVING'));
  const rows = await stack.sql.run`select 1 from audit_log where action = 'UNSOLICITED_RETURN_STARTED'`;
  expect(rows).toHaveLength(1);
});

test('a rolled back return is sent again, and an output whose block was rolled back becomes GONE', async () => {
  await using stack = await testStack({ blockMs: 0 });
  const mineWhile = async <T>(what: Promise<T>): Promise<T> => {
    const progress = { ended: false };
    const end = () => (progress.ended = true);
    void what.then(end, end);
    const mineOn = async () => {
      await stack.ledger.mine();
      return progress.ended;
    };
    await until(mineOn, { what: 'the operation that needs blocks' });
    return what;
  };
  const owner = person(411);
  const { id: vaultId } = await mineWhile(
    createVault(stack, owner.address).then((id) => waitForVaultStatus(stack, id, 'ACTIVE')),
  );
  const { custody } = await addressesOf(stack, vaultId, keyHashOf(owner));
  const gift = await mineWhile(sendUnsolicited(stack, custody));
  await scanUnsolicited(stack);
  const status = async () => (await listUnsolicited(stack, vaultId)).map((output) => output.status).sort();
  expect(await status()).toEqual(['PRESENT']);
  const requestReturn = async () => {
    const body = { outputs: refs((await listUnsolicited(stack, vaultId)).slice(-1)), address: owner.address };
    return stack.api.post(`/vaults/${vaultId}/unsolicited/returns`, body);
  };

  const heightOf = async (path: string, field: string) =>
    (await stack.ledger.query<Record<string, number>>(path))?.[field] ?? 0;
  const depth = (await heightOf('/blocks/latest', 'height')) - (await heightOf(`/txs/${gift}`, 'block_height')) + 1;
  await stack.ledger.rollback(depth);
  await scanUnsolicited(stack);
  expect(await status()).toEqual(['GONE']);
  await expectBooks(stack, vaultId);
  expect(await requestReturn()).toMatchObject(errorResponse(400, 'UNSOLICITED_OUTPUT_GONE'));
  await mineWhile(sendUnsolicited(stack, custody));
  await scanUnsolicited(stack);
  expect((await listUnsolicited(stack, vaultId)).at(-1)?.status).toBe('PRESENT');

  expect(await requestReturn()).toMatchObject({ status: 201 });
  await until(async () => (await stack.ledger.mempoolSize()) === 1, { what: 'the return to be sent' });
  expect(await status()).toContain('RETURNING');
  await stack.ledger.mine(2);
  await until(async () => (await status()).includes('RETURNED'), { what: 'the return to be in a block' });
  await stack.ledger.rollback(2);
  await until(async () => (await status()).includes('RETURNING'), { what: 'the return to be undone' });
  await until(async () => (await stack.ledger.mempoolSize()) === 1, { what: 'the return to be sent again' });
  await stack.ledger.mine();
  await until(async () => (await status()).includes('RETURNED'), { what: 'the return to be in a block again' });
  await expectBooks(stack, vaultId);
});

/** Inserts an unsolicited output at this place of a vault, as a scan would. */
async function insertUnsolicited(
  { sql }: ApiService,
  vaultId: string,
  place: string,
  index = 0,
): Promise<Record<string, unknown>> {
  const txHash = 'ab'.repeat(32);
  await sql.query(
    `insert into unsolicited_outputs (tx_hash, output_index, vault_id, place, address, lovelace, assets, seen_at)
      select $1, $2, id, $3, case $3 when 'settlement' then settlement_address else contract_address end, 5000000, '{}', now() from vaults where id = $4`,
    [txHash, index, place, vaultId],
  );
  return { txHash, index };
}

test('an invalid return names its field, and a return that needs other signatures is refused', async () => {
  await using service = await apiService();
  const { api, sql } = service;
  const { address: admin, keyHash: adminKey } = newWallet();
  const make = async (governance: object = {}) => {
    const body = vaultBody(admin);
    const governance_settings = { ...body.governance_settings, ...governance };
    const made = await api.post<{ vault_id: string }>('/vaults', { ...body, governance_settings });
    expect(made.status).toBe(201);
    return made.body.vault_id;
  };
  const vaultId = await make();
  const output = await insertUnsolicited(service, vaultId, 'custody');
  const ask = (body: unknown, id = vaultId) => api.post(`/vaults/${id}/unsolicited/returns`, body);
  const good = { outputs: [output], address: admin };

  const wrong: [body: unknown, field: string][] = [
    [{ address: admin }, 'outputs'],
    [{ outputs: [], address: admin }, 'outputs'],
    [{ outputs: [output, output], address: admin }, 'outputs'],
    [{ outputs: [{ ...output, txHash: 'AB' }], address: admin }, 'outputs.0.txHash'],
    [{ outputs: [{ ...output, index: -1 }], address: admin }, 'outputs.0.index'],
    [{ outputs: [{ ...output, index: '0' }], address: admin }, 'outputs.0.index'],
    [{ outputs: [output] }, 'address'],
    [{ ...good, more: 1 }, 'more'],
  ];
  for (const [body, field] of wrong) {
    const problem = errorResponse(400, 'INVALID_REQUEST', { errors: [{ field }] });
    expect(await ask(body)).toMatchObject(problem);
  }
  const rows = await sql.run<{ contract_address: string }>`select contract_address from vaults`;
  for (const address of ['addr_test1nonsense', rows[0]?.contract_address ?? '']) {
    expect(await ask({ ...good, address })).toMatchObject(errorResponse(400, 'INVALID_ADDRESS'));
  }
  const mainnet = 'addr1vx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzers66hrl8';
  expect(await ask({ ...good, address: mainnet })).toMatchObject(errorResponse(400, 'WRONG_NETWORK'));
  const nowhere = { ...good, outputs: [{ ...output, index: 9 }] };
  expect(await ask(nowhere)).toMatchObject(errorResponse(404, 'UNSOLICITED_OUTPUT_NOT_FOUND'));
  expect(await ask(good, '01890a5d-ac96-774b-bcce-b302099a8057')).toMatchObject(errorResponse(404, 'VAULT_NOT_FOUND'));

  const staked = await insertUnsolicited(service, vaultId, 'stake', 1);
  const needsOthers = errorResponse(400, 'UNSOLICITED_OUTPUT_NEEDS_OTHERS');
  expect(await ask({ ...good, outputs: [staked] })).toMatchObject(needsOthers);
  const cosigned = await make({ cosigners: [admin], required_cosigners: 1 });
  expect(await ask(good, cosigned)).toMatchObject(errorResponse(404, 'UNSOLICITED_OUTPUT_NOT_FOUND'));
  const guarded = await insertUnsolicited(service, cosigned, 'custody', 2);
  expect(await ask({ ...good, outputs: [guarded] }, cosigned)).toMatchObject({
    status: 201,
    body: { data: { transaction: { status: 'awaiting_signatures', requiredSigners: [expect.any(String), adminKey] } } },
  });
  const free = await insertUnsolicited(service, cosigned, 'settlement', 3);
  expect(await ask({ ...good, outputs: [free] }, cosigned)).toMatchObject({
    status: 201,
    body: { data: { transaction: { status: 'pending' } } },
  });

  await sql.run`update unsolicited_outputs set gone_at = now() where output_index = 0`;
  expect(await ask(good)).toMatchObject(errorResponse(400, 'UNSOLICITED_OUTPUT_GONE'));
});

test('a return of an output that another transaction has leased is refused', async () => {
  await using service = await apiService();
  const { api, sql } = service;
  const admin = newWallet().address;
  const { vault_id: vaultId } = (await api.post<{ vault_id: string }>('/vaults', vaultBody(admin))).body;
  const output = await insertUnsolicited(service, vaultId, 'custody');
  await sql.run`insert into utxo_leases (tx_hash, output_index, transaction_id)
      select tx_hash, output_index, (select id from chain_transactions limit 1) from unsolicited_outputs`;
  const answer = await api.post(`/vaults/${vaultId}/unsolicited/returns`, { outputs: [output], address: admin });
  expect(answer).toMatchObject(errorResponse(400, 'UNSOLICITED_OUTPUT_HELD'));
});
