/** Who got what, read from the ledger itself and not from the service. */
interface Paid {
  readonly ft: bigint;
  readonly lovelace: bigint;
}

interface Output {
  readonly address: string;
  readonly amount: readonly { readonly unit: string; readonly quantity: string }[];
}

interface Settlement {
  /** Unit of the fractional token. */
  readonly token: string;
  readonly decimals: number;
  readonly transactions: readonly { readonly kind: string; readonly hash: string }[];
}

interface Wallet {
  readonly name: string;
  readonly address: string;
}

/** One line per wallet and one for the liquidity share, to the last unit; throws unless they are all there is of the token. */
export async function tellShares(
  ledgerUrl: string,
  { token, decimals, transactions }: Settlement,
  wallets: readonly Wallet[],
): Promise<string[]> {
  const outputsOf = async (kind: string) => {
    const hashes = transactions.filter((transaction) => transaction.kind === kind).map(({ hash }) => hash);
    const read = hashes.map((hash) => ask<{ outputs: Output[] }>(`${ledgerUrl}/txs/${hash}/utxos`));
    return (await Promise.all(read)).flatMap(({ outputs }) => outputs);
  };
  const delivered = await outputsOf('deliver');
  const pooled = (await outputsOf('liquidity')).filter(({ amount }) => amount.some(({ unit }) => unit === token));
  const shares = [
    ...wallets.map(({ name, address }) => {
      const own = delivered.filter((output) => output.address === address);
      return { name, paid: sum(own, token) };
    }),
    { name: 'liquidity', paid: sum(pooled, token) },
  ];
  const total = shares.reduce((all, { paid }) => all + paid.ft, 0n);
  const { quantity } = await ask<{ quantity: string }>(`${ledgerUrl}/assets/${token}`);
  if (total !== BigInt(quantity)) throw new Error(`${total} of ${quantity} units were delivered`);
  const row = (name: string, ft: bigint) => `  ${name.padEnd(10)}${decimal(ft, decimals).padStart(18)} FT`;
  return [
    ...shares.map(({ name, paid }) => `${row(name, paid.ft)}${decimal(paid.lovelace, 6).padStart(16)} ADA`),
    `${row('together', total)}, all there is of it`,
  ];
}

function sum(outputs: readonly Output[], token: string): Paid {
  const of = (wanted: string) =>
    outputs
      .flatMap(({ amount }) => amount)
      .filter(({ unit }) => unit === wanted)
      .reduce((all, { quantity }) => all + BigInt(quantity), 0n);
  return { ft: of(token), lovelace: of('lovelace') };
}

/** Exact, with thousands separated. */
function decimal(units: bigint, decimals: number): string {
  const scale = 10n ** BigInt(decimals);
  const fraction = String(units % scale)
    .padStart(decimals, '0')
    .replace(/0+$/, '');
  return `${(units / scale).toLocaleString('en')}${fraction === '' || decimals === 0 ? '' : `.${fraction}`}`;
}

async function ask<Body>(url: string): Promise<Body> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the ledger answered ${response.status} to ${url}`);
  return (await response.json()) as Body;
}
