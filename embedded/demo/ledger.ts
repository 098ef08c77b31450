/** Reads from the ledger itself, not from the service. */
interface Amount {
  readonly unit: string;
  readonly quantity: string;
}

/** An output, or all funds at one address. */
export interface Output {
  readonly address: string;
  readonly amount: readonly Amount[];
}

/** Base units of the fractional token, and lovelace. */
export interface Holding {
  readonly ft: bigint;
  readonly lovelace: bigint;
}

/** The outputs of some transactions. */
export async function outputsOf(ledgerUrl: string, hashes: readonly string[]): Promise<Output[]> {
  const read = hashes.map((hash) => ask<{ outputs: Output[] }>(`${ledgerUrl}/txs/${hash}/utxos`));
  return (await Promise.all(read)).flatMap(({ outputs }) => outputs);
}

/** All funds at an address. */
export async function fundsAt(ledgerUrl: string, address: string): Promise<Output> {
  return ask<Output>(`${ledgerUrl}/addresses/${address}`);
}

/** The supply of a token in base units. */
export async function totalSupply(ledgerUrl: string, token: string): Promise<bigint> {
  return BigInt((await ask<{ quantity: string }>(`${ledgerUrl}/assets/${token}`)).quantity);
}

/** The quantity of a unit in some outputs. */
export function sumUnit(outputs: readonly Output[], wanted: string): bigint {
  return outputs
    .flatMap(({ amount }) => amount)
    .filter(({ unit }) => unit === wanted)
    .reduce((all, { quantity }) => all + BigInt(quantity), 0n);
}

/** Token and lovelace in some outputs. */
export function holdingIn(outputs: readonly Output[], token: string): Holding {
  return { ft: sumUnit(outputs, token), lovelace: sumUnit(outputs, 'lovelace') };
}

/** Exact decimal text with separators between thousands. */
export function formatUnits(units: bigint, decimals: number): string {
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
