/** `npm run demo`: one vault's whole first life and a sale that its holders vote on, over REST, on a running `npm start`, with simulated wallets and days that pass in seconds. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lyingAt, sumOf } from './demo-ledger.ts';
import { connectRest, type Rest } from './demo-rest.ts';
import { executeSale } from './demo-sale.ts';
import { type Settlement, tellHoldings, tellShares } from './demo-shares.ts';
import { endorse, type Offer, proposeSale, stake, tellTally, vote, voteSigned } from './demo-vote.ts';
import { ada, furnish, print, signAndSettle, type ToSign, wallet, type Wallet } from './demo-wallets.ts';
import type { StackAddresses } from './stack.ts';

const DAY = 86_400;
const FT_DECIMALS = 6;

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
  const [ada1, grace, edsger, barbara, margaret] = await Promise.all(
    ['Ada', 'Grace', 'Edsger', 'Barbara', 'Margaret'].map((name) => wallet(rest, name)),
  );
  if (!ada1 || !grace || !edsger || !barbara || !margaret) throw new Error('a wallet is missing');
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
  await furnish(rest, edsger);
  await furnish(rest, barbara);
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
  const vault = await locked(rest, vaultId);
  const holders = [ada1, grace, edsger, barbara];
  await tellSettlement(vault, ledgerUrl, holders);

  const offer: Offer = { policyId: paintings, assetName: dawn, price: 1_000_000_000, buyer: margaret };
  const stakes = [
    { wallet: grace, scriptAddress: await stake(rest, vaultId, grace, 50_000) },
    { wallet: edsger, scriptAddress: await stake(rest, vaultId, edsger, 150_000) },
    { wallet: barbara, scriptAddress: await stake(rest, vaultId, barbara, 200_000) },
  ];
  const proposalId = await proposeSale(rest, vaultId, barbara, offer);
  if (temporalUiUrl !== null)
    print(`  watch it at ${temporalUiUrl}/namespaces/default/workflows/proposal-${proposalId}`);
  await endorse(rest, proposalId, edsger);
  await vote(rest, proposalId, { voter: barbara, tokens: 200_000, vote: 'yes' });
  await voteSigned(rest, proposalId, { voter: edsger, tokens: 150_000, vote: 'yes' }, FT_DECIMALS);
  await vote(rest, proposalId, { voter: grace, tokens: 50_000, vote: 'no' });
  await wait(rest, vaultId, 7 * DAY, 'seven days pass: the vote is closed');
  await tellTally(rest, proposalId);

  await wait(rest, vaultId, DAY, 'a day passes: the lock is over and the sale can be executed');
  await furnish(rest, margaret);
  const inCustody = async () => sumOf([await lyingAt(ledgerUrl, vault.contractAddress)], 'lovelace');
  const before = await inCustody();
  await executeSale(rest, proposalId, [barbara, edsger], offer);
  const gained = (await inCustody()) - before;
  if (gained !== BigInt(offer.price)) throw new Error(`custody holds ${gained} lovelace more`);

  print(`custody holds ${ada(String(gained))} more; what everyone has in the end, on the ledger:`);
  const sold = { assetName: dawn, unit: paintings + Buffer.from(dawn).toString('hex'), buyer: margaret };
  const places = { wallets: [...holders, margaret], stakes, custody: vault.contractAddress };
  for (const line of await tellHoldings(ledgerUrl, settlementOf(vault), places, sold)) print(line);
  print('done');
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

async function tellSettlement(vault: VaultRead, ledgerUrl: string, wallets: readonly Wallet[]): Promise<void> {
  for (const { kind, hash, blockHeight } of vault.transactions) {
    if (['mint', 'deliver', 'liquidity'].includes(kind))
      print(`  ${kind}: transaction ${hash} in block ${blockHeight ?? '?'}`);
  }
  const settlement = settlementOf(vault);
  print(`everyone has a share of the fractional token (FT) ${settlement.token}; on the ledger they received:`);
  for (const line of await tellShares(ledgerUrl, settlement, wallets)) print(line);
  print('(the ADA includes what was left of the deposits that pay for the delivery)');
}

function settlementOf({ fractionalization: { tokenAddress: token }, transactions }: VaultRead): Settlement {
  return { token, decimals: FT_DECIMALS, transactions };
}
