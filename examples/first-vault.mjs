/**
 * Your first vault: log in a wallet, create a vault, deposit an NFT, invest ADA, let a week pass, and see the vault settle.
 * Run it while `npm start` runs: node examples/first-vault.mjs
 */
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

// A failure is one line.
process.on('uncaughtException', ({ message }) => {
  console.error(message);
  process.exit(1);
});
const stackFile = `${process.env.DATA_DIR ?? '.data'}/stack.json`;
if (!existsSync(stackFile)) {
  console.error(`${stackFile} does not exist. Run \`npm start\` first, and leave it running.`);
  process.exit(1);
}
const { apiUrl, adminKey, frontendKey, temporalUiUrl } = JSON.parse(readFileSync(stackFile, 'utf8'));

/** Sends one request and returns the parsed body. Every error has the same shape, so its code and details are enough. */
async function request(method, path, { key, token, body }) {
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
  if (token) headers.Authorization = `Bearer ${token}`;
  const response = await fetch(apiUrl + path, { method, headers, body: body && JSON.stringify(body) }).catch(() => {
    throw new Error(`${apiUrl} does not respond. Run \`npm start\` first, and leave it running.`);
  });
  const json = await response.json();
  if (!response.ok)
    throw new Error(`${method} ${path}: ${json.error.code} ${JSON.stringify(json.error.details ?? {})}`);
  return json;
}

// Development only: a simulated wallet, test funds and a movable clock. These calls need the ADMIN key.
const dev = (path, body = {}) => request('POST', `/dev${path}`, { key: adminKey, body });

// 1. A wallet with 1,000 ADA and one NFT. In production this is the user's own CIP-30 wallet.
const { address } = await dev('/wallets');
const assetName = `Loft${Date.now()}`;
const { policyId } = await dev('/faucet', { address, lovelace: 1_000_000_000, assets: [{ assetName, quantity: 1 }] });

// 2. Log in: the wallet signs a nonce and gets a session token.
const auth = (path, body) => request('POST', `/api/v1/auth${path}`, { key: frontendKey, body });
const { nonce } = (await auth('/nonces', { address })).data;
const timestamp = Date.now();
const payload = Buffer.from(`${nonce}:${timestamp}`).toString('hex');
const signature = await dev(`/wallets/${address}/sign-data`, { payload });
const { token } = (await auth('/sessions', { address, nonce, timestamp, ...signature })).data;
console.log(`Logged in ${address}`);

const get = (path) => request('GET', `/api/v1${path}`, { key: frontendKey, token });
const post = (path, body) => request('POST', `/api/v1${path}`, { key: frontendKey, token, body });

// 3. Create a vault. Both windows open now and stay open for a week.
const { vault_id: vaultId } = await post('/vaults', {
  vault_name: 'Harbour Loft',
  vault_type: 'PUBLIC',
  admin_user: { wallet_address: address },
  asset_settings: { allowed_asset_types: ['NFT'], valuation_type: 'LBE' },
  investment_settings: {
    investment_window_duration: '168h',
    minimum_investment_reserve: 20,
    ft_supply: 1_000_000,
    ft_token_decimals: 6,
    lp_percentage: 10,
  },
  governance_settings: {
    creation_threshold: 1,
    start_threshold: 5,
    vote_threshold: 30,
    execution_threshold: 51,
    cosigning_threshold: 10,
  },
});
console.log(`Created vault ${vaultId}`);
console.log(`Watch it: ${temporalUiUrl}/namespaces/default/workflows/vault-${vaultId}`);

// 4. Deposit the NFT, then invest 500 ADA. Both return an unsigned transaction for the wallet to sign.
const deposit = await post(`/vaults/${vaultId}/assets`, { policy_id: policyId, asset_name: assetName });
await sign(deposit.transaction.tx_hash, deposit.transaction.unsigned_tx);
console.log('The NFT is in the vault');

const { transaction } = (await post(`/vaults/${vaultId}/investments`, { lovelace: 500_000_000 })).data;
await sign(transaction.hash, transaction.unsignedTx);
console.log('500 ADA are invested');

// 5. Let the week pass. In production, you would wait for the event VAULT_STATUS_CHANGED instead of polling.
await dev('/clock/advance', { seconds: 7 * 24 * 60 * 60 });
let vault;
do {
  await sleep(1000);
  vault = (await get(`/vaults/${vaultId}`)).data;
} while (vault.status === 'ACTIVE');
console.log(`The vault is ${vault.status}`);

// 6. Who got what.
const { entitlements } = (await get(`/vaults/${vaultId}/entitlements`)).data;
for (const { depositKind, ftBaseUnits, lovelaceOwed } of entitlements)
  console.log(`The ${depositKind} gets ${Number(ftBaseUnits) / 1e6} FT and ${Number(lovelaceOwed) / 1e6} ADA`);

/** Signs a transaction with the wallet, submits the signature, and waits until the transaction is in a block. */
async function sign(hash, tx) {
  await post(`/transactions/${hash}/witnesses`, await dev(`/wallets/${address}/sign-tx`, { tx }));
  for (;;) {
    const { status } = (await get(`/transactions/${hash}`)).data;
    if (['confirmed', 'final'].includes(status)) return;
    if (['expired', 'failed'].includes(status)) throw new Error(`Transaction ${hash} ${status}`);
    await sleep(500);
  }
}
