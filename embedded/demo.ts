/** `npm run demo`: one vault's whole first life over REST, on a running `npm start`, with simulated wallets and days that pass in seconds. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectRest, type Rest } from './demo-rest.ts';
import { tellShares } from './demo-shares.ts';
import type { StackAddresses } from './stack.ts';

const print = (line: string) => process.stdout.write(`${line}\n`);
const ada = (lovelace: number | string) => `${(Number(lovelace) / 1_000_000).toLocaleString('en')} ADA`;
const DAY = 86_400;
const FT_DECIMALS = 6;

interface Wallet {
  readonly name: string;
  readonly address: string;
}

interface ToSign {
  readonly tx_hash: string;
  readonly unsigned_tx: string;
}

interface Stack {
  readonly rest: Rest;
  readonly temporalUiUrl: string | null;
  readonly ledgerUrl: string;
}

interface VaultRead {
  readonly status: string;
  readonly phase: string;
  readonly contractAddress: string;
  readonly fractionalization: { readonly tokenAddress: string };
  readonly transactions: readonly {
    readonly kind: string;
    readonly hash: string;
    readonly blockHeight: number | null;
  }[];
}

try {
  await live(await connect());
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function connect(): Promise<Stack> {
  const file = join(process.env['DATA_DIR'] ?? '.data', 'stack.json');
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Error(`${file} is not there: run \`npm start\` first, and leave it running`);
  });
  const { apiUrl, adminKey, ...addresses } = JSON.parse(text) as StackAddresses;
  return { ...addresses, rest: connectRest(apiUrl, adminKey) };
}

async function live({ rest, temporalUiUrl, ledgerUrl }: Stack): Promise<void> {
  const [ada1, grace, edsger, barbara] = await Promise.all(
    ['Ada', 'Grace', 'Edsger', 'Barbara'].map((name) => wallet(rest, name)),
  );
  if (!ada1 || !grace || !edsger || !barbara) throw new Error('a wallet is missing');
  const vaultId = await createVault(rest, ada1);
  if (temporalUiUrl !== null) print(`  watch it at ${temporalUiUrl}/namespaces/default/workflows/vault-${vaultId}`);

  // Names of this run only: the faucet mints under one policy, and what an earlier run gave to its vault stays there.
  const named = (name: string) => `${name} ${vaultId.slice(-6)}`;
  const [dawn, dusk, gold] = [named('Dawn'), named('Dusk'), named('Gold')];
  const paintings = await furnish(rest, ada1, [
    { assetName: dawn, quantity: '1' },
    { assetName: dusk, quantity: '1' },
  ]);
  const metal = await furnish(rest, grace, [{ assetName: gold, quantity: '5000' }]);
  await furnish(rest, edsger, []);
  await furnish(rest, barbara, []);
  await rest.post('/dev/prices', { policyId: metal, assetName: gold, lovelace: 500_000 });

  await addAsset(rest, vaultId, ada1, { policy_id: paintings, asset_name: dawn, valuation_method: 'floor_price' });
  await addAsset(rest, vaultId, ada1, { policy_id: paintings, asset_name: dusk, valuation_method: 'floor_price' });
  await addAsset(rest, vaultId, grace, {
    policy_id: metal,
    asset_name: gold,
    valuation_method: 'dex_price',
    quantity: 5000,
  });
  const { data } = await rest.get<{ data: { valuation: { total: string } } }>(`/api/v1/vaults/${vaultId}/valuation`);
  print(`  the vault holds assets worth ${ada(data.valuation.total)}`);

  await invest(rest, vaultId, edsger, 900_000_000);
  await invest(rest, vaultId, barbara, 1_350_000_000);

  await wait(rest, vaultId, 3 * DAY, 'three days pass: the asset window closes');
  await wait(rest, vaultId, 4 * DAY, 'four more days pass: the investment window closes and the vault settles');
  await tellSettlement(await locked(rest, vaultId), ledgerUrl, [ada1, grace, edsger, barbara]);
  print('done');
}

async function wallet(rest: Rest, name: string): Promise<Wallet> {
  const { address } = await rest.post<{ address: string }>('/dev/wallets', {});
  return { name, address };
}

async function createVault(rest: Rest, admin: Wallet): Promise<string> {
  const created = await rest.post<{ vault_id: string; transaction: { tx_hash: string } }>('/api/v1/vaults', {
    vault_name: 'Harbour Loft',
    vault_type: 'public',
    admin_user: { wallet_address: admin.address },
    asset_settings: { allowed_asset_types: ['NFT', 'CNT'], valuation_type: 'LBE', asset_window_duration: '03:00:00' },
    investment_settings: {
      investment_window_duration: '168h',
      minimum_investment_reserve: 10,
      ft_supply: 1_000_000,
      ft_token_decimals: FT_DECIMALS,
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
  print(`vault ${created.vault_id} created\n  by transaction ${created.transaction.tx_hash}`);
  return created.vault_id;
}

async function furnish(rest: Rest, { name, address }: Wallet, assets: readonly object[]): Promise<string> {
  const { policyId } = await rest.post<{ policyId: string }>('/dev/faucet', {
    address,
    lovelace: '2000000000',
    assets,
  });
  print(
    `${name} (${address}) is given ${ada(2_000_000_000)}${assets.length > 0 ? ` and ${assets.length} asset(s)` : ''} by the faucet`,
  );
  return policyId;
}

async function addAsset(
  rest: Rest,
  vaultId: string,
  owner: Wallet,
  asset: Record<string, string | number>,
): Promise<void> {
  const metadata = { creator: owner.name, legal_proof: 'https://example.com/proof' };
  const body = { ...asset, metadata, wallet_address: owner.address };
  const { transaction } = await rest.post<{ transaction: ToSign }>(`/api/v1/vaults/${vaultId}/assets`, body);
  await signAndSettle(rest, owner, transaction, `${owner.name} contributes ${asset['asset_name'] ?? 'an asset'}`);
}

async function invest(rest: Rest, vaultId: string, investor: Wallet, lovelace: number): Promise<void> {
  const body = { walletAddress: investor.address, lovelace };
  const { data } = await rest.post<{ data: { transaction: ToSign } }>(`/api/v1/vaults/${vaultId}/investments`, body);
  await signAndSettle(rest, investor, data.transaction, `${investor.name} invests ${ada(lovelace)}`);
}

/** Signs as a browser wallet would, hands the witness in and waits for the block. */
async function signAndSettle(
  rest: Rest,
  signer: Wallet,
  { tx_hash: hash, unsigned_tx: tx }: ToSign,
  what: string,
): Promise<void> {
  const { witnessSet } = await rest.post<{ witnessSet: string }>(`/dev/wallets/${signer.address}/sign-tx`, { tx });
  await rest.post(`/api/v1/transactions/${hash}/witnesses`, { witnessSet });
  const height = await rest.until(async () => {
    const { data } = await rest.get<{ data: { blockHeight: number | null } }>(`/api/v1/transactions/${hash}`);
    return data.blockHeight;
  });
  print(`${what}\n  by transaction ${hash} in block ${height}`);
}

async function wait(rest: Rest, vaultId: string, seconds: number, what: string): Promise<void> {
  await rest.post('/dev/clock/advance', { seconds });
  const { data } = await rest.get<{ data: VaultRead }>(`/api/v1/vaults/${vaultId}`);
  print(`${what}\n  the vault is ${data.status}, phase ${data.phase}`);
}

function locked(rest: Rest, vaultId: string): Promise<VaultRead> {
  return rest.until(async () => {
    const { data } = await rest.get<{ data: VaultRead }>(`/api/v1/vaults/${vaultId}`);
    return data.status === 'LOCKED' ? data : null;
  });
}

async function tellSettlement(
  { fractionalization: { tokenAddress: token }, transactions }: VaultRead,
  ledgerUrl: string,
  wallets: readonly Wallet[],
): Promise<void> {
  for (const { kind, hash, blockHeight } of transactions) {
    if (['mint', 'deliver', 'liquidity'].includes(kind))
      print(`  ${kind}: transaction ${hash} in block ${blockHeight ?? '?'}`);
  }
  print(`everyone has a share of the fractional token (FT) ${token}; on the ledger they received:`);
  for (const line of await tellShares(ledgerUrl, { token, decimals: FT_DECIMALS, transactions }, wallets)) print(line);
  print('(the ADA includes what was left of the deposits that pay for the delivery)');
}
