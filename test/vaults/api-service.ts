import { randomBytes, randomInt } from 'node:crypto';
import { entropyToMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { databaseUrls } from '../../embedded/databases.ts';
import { startLedger } from '../../embedded/ledger/server.ts';
import { type ApiExtras, createApi } from '../../src/api.ts';
import { formatApiKey } from '../../src/access/api-keys.ts';
import { deriveKeys } from '../../src/cardano/keys/keys.ts';
import { witnessSetOf } from '../../src/cardano/keys/witnesses.ts';
import { keyAddress } from '../../src/cardano/scripts/address.ts';
import { type ApiConfig, loadApiConfig } from '../../src/platform/config/api.ts';
import { wallClock } from '../../src/platform/units/time.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { publishPlatform } from '../../src/operations/queries.ts';
import { publishVaultKeys } from '../../src/vaults/queries/vaults.ts';
import { checkedFetch } from '../contract/checked-fetch.ts';
import { canaries } from '../secrets/canaries.ts';
import { apiClient } from '../stack/api-client.ts';
import { ledgerClient } from '../stack/ledger-client.ts';
import { sharedDocument } from '../stack/shared-document.ts';
import { namespaceWithoutWorker, sharedStack } from '../stack/shared-stack.ts';
import { testDatabase } from '../stack/test-database.ts';
import { testLog } from '../stack/test-log.ts';
import { until } from '../stack/until.ts';

const newKeys = () => deriveKeys(entropyToMnemonic(randomBytes(32), wordlist), 0);

/** What the wallets of this file are derived from: a root for each would take 11 ms. */
const wallets = newKeys();

/** A wallet with one address. */
export function newWallet() {
  const key = wallets.vaultKey(randomInt(2 ** 31));
  const address = keyAddress(key.keyHash, 0);
  return { address, keyHash: key.keyHash, sign: (unsigned: string) => witnessSetOf(unsigned, [key]) };
}

/** An api in this process with its own database and ledger, and no worker: recorded rows stay unchanged. */
export async function apiService(environment: Record<string, string> = {}, databaseParameters = '') {
  await using cleanup = new AsyncDisposableStack();
  const keys = newKeys();
  const database = cleanup.use(await testDatabase());
  const fundings = [{ address: keys.operator.address, lovelace: 10_000_000_000n, count: 50 }];
  const ledgerServer = cleanup.use(await startLedger({ blockMs: 0, fundings }));

  const db = openDatabase(database.url, () => undefined, 2);
  cleanup.defer(() => db.destroy());
  const { address: operatorAddress, keyHash: operatorKeyHash } = keys.operator;
  await publishPlatform(db, { network: 'preview', operatorAddress, operatorKeyHash, confirmationDepth: 3 });
  const indexes = Array.from({ length: 40 }, (_, index) => index);
  const vaultKeys = indexes.map((index) => {
    const [vault, policy] = [keys.vaultKey(index), keys.policyKey(index)];
    return { index, vaultKeyHash: vault.keyHash, policyKeyHash: policy.keyHash };
  });
  await publishVaultKeys(db, vaultKeys);

  const adminKey = formatApiKey({ environment: 'test', id: randomBytes(16).toString('hex'), secret: randomBytes(32) });
  const log = testLog('api');
  const variables = {
    ENVIRONMENT: 'development',
    LEDGER_PROJECT_ID: canaries.ledgerProjectId,
    DATABASE_URL: databaseUrls(database.url, canaries).api + databaseParameters,
    TEMPORAL_ADDRESS: sharedStack().temporalAddress,
    TEMPORAL_NAMESPACE: namespaceWithoutWorker,
    NETWORK: 'preview',
    LEDGER_URL: `${ledgerServer.url}/api/v0`,
    LEDGER_EMBEDDED: 'true',
    PRICE_FEED_URL: `${ledgerServer.url}/prices`,
    CLOCK_OFFSET: 'database',
    ENCRYPTION_KEY: canaries.encryptionKey,
    PORT: '0',
    METRICS_PORT: '0',
    RATE_LIMIT_ADMIN: '1000000',
    RATE_LIMIT_DEFAULT: '1000000',
    // Tests change rows behind the service, which then says nothing of it.
    RESPONSE_CACHE_MS: '0',
    ...environment,
  };
  const development = loadApiConfig(variables);
  // Only development has the embedded ledger, and keys of its configuration that do not end.
  const config: ApiConfig = { ...development, environment: 'test', bootstrapAdminKey: adminKey };
  const api = await createApi(config, { log });
  let closed: Promise<void> | undefined;
  const stopApi = () => (closed ??= api.close());
  cleanup.defer(stopApi);

  const request = checkedFetch(sharedDocument);
  const ledger = ledgerClient(ledgerServer.url);
  const open = cleanup.move();

  /** Starts an api on the same database, with another configuration if given. */
  async function startAnother(changed: Partial<ApiConfig> = {}, extras: ApiExtras = {}) {
    const other = await createApi({ ...config, ...changed }, { log, ...extras });
    let stopped: Promise<void> | undefined;
    const stop = () => (stopped ??= other.close());
    open.defer(stop);
    return { url: other.url, stop };
  }

  const client = apiClient(() => `${api.url}/api/v1`, adminKey, request);
  return {
    api: client,
    url: api.url,
    /** Calls of what is not below /api/v1. */
    root: apiClient(() => api.url, adminKey, request),
    adminKey,
    /** The platform's keys. */
    keys,
    db,
    databaseUrl: database.url,
    /** What an api of its own process needs to run on the same servers. */
    variables,
    sql: database.sql,
    ledger,
    /** Stops the api once its messages have reached Temporal; Postgres and the ledger keep running. */
    stopApi,
    /** Starts a second api on the same database, with its own batches and anchor chain; returns its client. */
    async secondApi() {
      const other = await startAnother();
      return apiClient(() => `${other.url}/api/v1`, adminKey, request);
    },
    startAnother,
    /** Moves the clock of the api and the ledger; the api hears of it a moment later, and so does this. */
    async advance(seconds: number) {
      const rows = await database.sql.run<{ offset_ms: string }>`update clock_offset
          set offset_ms = offset_ms + ${seconds * 1000} returning offset_ms`;
      const offsetMs = Number(rows[0]?.offset_ms);
      await ledger.setClock(offsetMs);
      const moved = wallClock.now() + offsetMs;
      if (!closed)
        await until(async () => (await timeOf(client)) >= moved, { what: 'the api to hear of the moved clock' });
    },
    /** Returns a new wallet that holds ADA and these assets (quantity by name), with their policy id. */
    async fundedWallet(assets: Record<string, string> = {}, lovelace = '100000000') {
      const wallet = newWallet();
      const assetsToMint = Object.entries(assets).map(([name, quantity]) => ({
        assetNameHex: Buffer.from(name).toString('hex'),
        quantity,
      }));
      const { policyId } = await ledger.faucet({ address: wallet.address, lovelace, assets: assetsToMint });
      await ledger.mine();
      return { ...wallet, policyId };
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

async function timeOf(api: ReturnType<typeof apiClient>): Promise<number> {
  const { body } = await api.get<{ metadata: { timestamp: string } }>('/vaults?limit=1');
  return Date.parse(body.metadata.timestamp);
}

export type ApiService = Awaited<ReturnType<typeof apiService>>;
