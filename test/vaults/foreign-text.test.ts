import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { FaultSettings } from '../../embedded/ledger/faults.ts';
import { createLedger } from '../../src/cardano/ledger/ledger.ts';
import { readNetworkState } from '../../src/cardano/ledger/network-state.ts';
import { defaultImage } from '../../src/cardano/tokens/picture.ts';
import { loadApiConfig } from '../../src/platform/config/api.ts';
import { wallClock } from '../../src/platform/units/time.ts';
import { submitTransaction } from '../../src/transactions/submit-transaction.ts';
import { prepareCreation } from '../../src/vaults/create-vault.ts';
import { findTransaction } from '../../src/transactions/queries/transactions.ts';
import { checkedFetch } from '../contract/checked-fetch.ts';
import { apiClient } from '../stack/api-client.ts';
import { followerOf } from '../follower/follower-service.ts';
import { answer, type Fault, standIn } from '../stack/faulty-server.ts';
import { sharedDocument } from '../stack/shared-document.ts';
import { apiService, newWallet } from './api-service.ts';
import { vaultBody } from './create-vault-body.ts';

/** What a backend writes that no caller may see. */
const FOREIGN = 'TxSubmitFail (ConwayUtxowFailure TreeSet(secret)) at backend.internal:8090';
const foreignMarks =
  /TxSubmitFail|TreeSet|secret|backend\.internal|127\.0\.0\.1|fetch failed|ECONN|at \/|pg_|select |\/addresses\/|api\/v0/;

const asBlockfrost = JSON.stringify({ status_code: 500, error: FOREIGN, message: FOREIGN });

const faults: readonly (readonly [name: string, Fault])[] = [
  ['a refusal', answer(400, asBlockfrost)],
  ['a used up quota', answer(402, asBlockfrost)],
  ['a wrong key', answer(403, asBlockfrost)],
  ['a ban', answer(418, asBlockfrost)],
  ['a limit', answer(429, asBlockfrost)],
  ['a failure', answer(500, asBlockfrost)],
  ['plain text', answer(503, FOREIGN)],
  ['the page of a proxy', answer(200, `<html>${FOREIGN}</html>`)],
  ['a response of another shape', answer(200, JSON.stringify([{ error: FOREIGN }]))],
  ['a redirection', answer(307, '', { location: 'http://127.0.0.1:1/backend.internal' })],
  ['a broken connection', (response) => response.destroy()],
];

test('no fault of the ledger or the price feed brings foreign text, an address or a path to a caller', async () => {
  await using service = await apiService();
  await using ledger = await standIn(service.ledger.url);
  await using prices = await standIn(service.ledger.url);
  const addresses = { LEDGER_URL: `${ledger.url}/api/v0`, PRICE_FEED_URL: `${prices.url}/prices` };
  const { ledger: ledgerConfig, priceFeedUrl } = loadApiConfig({ ...service.variables, ...addresses });
  const { url } = await service.startAnother({ ledger: ledgerConfig, priceFeedUrl });
  const api = apiClient(() => `${url}/api/v1`, service.adminKey, checkedFetch(sharedDocument));
  const { body } = await api.post<{ vault_id: string }>('/vaults', vaultBody(newWallet().address));
  const path = `/vaults/${body.vault_id}`;
  const wallet = await service.fundedWallet({ Barge: '1' });
  const asset = { policy_id: wallet.policyId, asset_name: 'Barge', wallet_address: wallet.address };
  const investment = { walletAddress: wallet.address, lovelace: 5_000_000 };

  const seen: string[] = [];
  const ask = async (what: string, asked: Promise<{ readonly status: number; readonly body: unknown }>) => {
    const { status, body: found } = await asked;
    const text = JSON.stringify(found);
    expect({ what, foreign: foreignMarks.exec(text)?.[0], text }).toEqual({ what, foreign: undefined, text });
    seen.push(`${status}`);
  };
  const headers = { accept: 'application/problem+json' };
  const batch = { requests: [{ id: 'a', method: 'POST', path: `/api/v1${path}/investments`, body: investment }] };
  for (const [name, fault] of faults) {
    ledger.state.fault = fault;
    await ask(`${name}, investment`, api.post(`${path}/investments`, investment));
    await ask(`${name}, asset`, api.post(`${path}/assets`, asset));
    await ask(`${name}, problem details`, api.post(`${path}/investments`, investment, { headers }));
    await ask(`${name}, batch`, api.post('/batch', batch));
    ledger.state.fault = null;
    prices.state.fault = fault;
    await ask(`${name}, price`, api.post(`${path}/assets`, asset));
    prices.state.fault = null;
  }
  // Each of them met its fault: a batch is answered with 200 and says within which of its items failed.
  expect(new Set(seen)).toEqual(new Set(['500', '200']));
});

/** Faults of the embedded ledger when something is sent to it; the last one is of each request. */
const embeddedFaults: readonly FaultSettings[] = [
  { submit429: 1 },
  { submit425: 1 },
  { submit500AfterAccept: 1 },
  { drop: 1 },
  { all: 'down' },
];

test('no fault of the ledger while a transaction is sent brings foreign text to who reads it, its vault or its events', async () => {
  await using service = await apiService();
  await using standing = await standIn(service.ledger.url);
  standing.state.isOfSending = true;
  const follower = followerOf(service);
  await service.ledger.mine();
  await follower.catchUp();
  const ledger = createLedger({ baseUrl: `${standing.url}/api/v0`, timeoutMs: 5000 });
  const ids = { next: randomUUID };
  const networkState = () => readNetworkState({ ledger, networkId: 0 });
  const platform = { ids, ledger, networkState, keys: service.keys, tokenMetadata: { image: defaultImage } };
  const context = { ...follower.context, ...platform };

  /** Sends the creation of a new vault while there is a fault, and reads what there is to read of it. */
  async function sendAndRead(what: string, begin: () => Promise<unknown>, end: () => Promise<unknown>) {
    const { body } = await service.api.post<{ vault_id: string }>('/vaults', vaultBody(newWallet().address));
    const created = await prepareCreation(context, { vaultId: body.vault_id, now: wallClock.now() });
    const recorded = created && (await findTransaction(service.db, created.transactionId));
    if (!recorded) throw new Error('there is nothing to send');
    await begin();
    const sent = await submitTransaction(context, recorded, wallClock.now()).catch((error: unknown) => String(error));
    await end();
    const paths = [`/transactions/${recorded.hash}`, `/vaults/${body.vault_id}`, `/events?vaultId=${body.vault_id}`];
    const read = await Promise.all(paths.map((path) => service.api.get(path)));
    expect({ what, statuses: read.map(({ status }) => status) }).toEqual({ what, statuses: [200, 200, 200] });
    const text = JSON.stringify([sent, read.map(({ body: found }) => found)]);
    expect({ what, foreign: foreignMarks.exec(text)?.[0], text }).toEqual({ what, foreign: undefined, text });
  }
  const set = (fault: Fault | null) => () => Promise.resolve((standing.state.fault = fault));
  for (const [name, fault] of faults) await sendAndRead(name, set(fault), set(null));
  for (const fault of embeddedFaults)
    await sendAndRead(
      Object.keys(fault).join(),
      () => service.ledger.faults(fault),
      () => service.ledger.faults({}),
    );
});
