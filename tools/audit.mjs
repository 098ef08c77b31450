#!/usr/bin/env node
/**
 * Computes the statement of a vault from the ledger, and prints what the service says otherwise. It needs the public API, a ledger API
 * like Blockfrost's, and no package. See docs/guides/books.md.
 */
import { parseArgs } from 'node:util';

const usage = `Usage:
  audit.mjs --api URL --vault ID --ledger URL
      Compares GET /vaults/ID/statement and /remains with the ledger. Ends with 0 if nothing differs.

URL of --api is that of the service, such as https://vaults.example.com; of --ledger, such as
https://cardano-mainnet.blockfrost.io/api/v0. The variable API_KEY holds a key that may read the vault. For a vault that only
its participants may read, SESSION_TOKEN holds the token of a participant's session as well. LEDGER_PROJECT_ID holds, for
hosted ledger APIs, the project id.`;

/** The service lists what others send, and what owners take back, within this time; until then it is named, but is no difference. */
const LISTED_WITHIN_SECONDS = 3600;
/** The statement changes while it is read when a block brings a movement. */
const ATTEMPTS = 5;
const CONCURRENT = 4;

/** A failure that the user can mend: its text is printed without a stack. */
class AuditError extends Error {}

const options = readOptions();

/** The options; without those that it needs, it prints how it is used, and ends with 2. */
function readOptions() {
  const text = { type: 'string' };
  try {
    const { values } = parseArgs({ options: { api: text, vault: text, ledger: text } });
    if (values.api && values.vault && values.ledger) return values;
  } catch (error) {
    console.error(`${error.message}\n`);
  }
  console.error(usage);
  process.exit(2);
}

/** The body of a successful response; undefined for 404. */
async function get(url, headers) {
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(30_000) }).catch((error) => {
    throw new AuditError(`${url} gives no answer: ${error.cause?.code ?? error.cause?.message ?? error.message}`);
  });
  if (response.status === 404) return undefined;
  if (!response.ok) throw new AuditError(`${url} answered ${response.status}: ${await response.text()}`);
  return response.json().catch(() => {
    throw new AuditError(`${url} did not answer with JSON`);
  });
}

async function service(path) {
  const { API_KEY: key, SESSION_TOKEN: token } = process.env;
  const headers = { ...(key && { 'x-api-key': key }), ...(token && { authorization: `Bearer ${token}` }) };
  const base = options.api.replace(/\/*(\/api\/v1\/*)?$/, '');
  const body = await get(`${base}/api/v1/vaults/${options.vault}${path}`, headers);
  if (body === undefined)
    throw new AuditError(
      `the service has no vault ${options.vault} that this key may read; for a vault of participants only, set SESSION_TOKEN too`,
    );
  return body;
}

function ledger(path) {
  const projectId = process.env.LEDGER_PROJECT_ID;
  return get(`${options.ledger.replace(/\/$/, '')}${path}`, projectId ? { project_id: projectId } : {});
}

/** Every item of a list of the ledger. */
async function allOf(path) {
  const found = [];
  for (let page = 1; ; page += 1) {
    const items = (await ledger(`${path}?count=100&order=asc&page=${page}`)) ?? [];
    found.push(...items);
    if (items.length < 100) return found;
  }
}

async function mapAll(items, act) {
  const results = [];
  for (let first = 0; first < items.length; first += CONCURRENT)
    results.push(...(await Promise.all(items.slice(first, first + CONCURRENT).map(act))));
  return results;
}

/** Amounts by unit; ADA under `lovelace`. */
class Sums extends Map {
  add(unit, quantity) {
    const sum = (this.get(unit) ?? 0n) + BigInt(quantity);
    if (sum === 0n) this.delete(unit);
    else this.set(unit, sum);
    return this;
  }

  addAll(amounts, sign = 1n) {
    for (const { unit, quantity } of amounts) this.add(unit, sign * BigInt(quantity));
    return this;
  }

  toString() {
    const rank = (unit) => (unit === 'lovelace' ? '' : unit);
    const sorted = [...this].sort(([one], [other]) => (rank(one) < rank(other) ? -1 : 1));
    return sorted.map(([unit, quantity]) => `${quantity} ${unit}`).join(', ') || 'nothing';
  }
}

const amountsOf = ({ lovelace, assets }) => [{ unit: 'lovelace', quantity: lovelace }, ...assets];
const balanceOf = (balance) => new Sums().addAll(amountsOf(balance));

/** The whole statement and what remains, as they were at the block `asOf`: nothing has moved while they were read. */
async function readBooks() {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const pages = await readStatement();
    const remains = await readRemains();
    const again = await readStatement();
    const moved = (read) => JSON.stringify(read.map((page) => page.movements));
    if (moved(pages) === moved(again)) return { pages, remains, asOf: pages.at(-1).asOf };
  }
  throw new AuditError('blocks come faster than the statement can be read: try again');
}

async function readStatement() {
  const pages = [];
  for (let after = ''; after !== null; after = pages.at(-1).next)
    pages.push((await service(`/statement?limit=1000${after && `&after=${after}`}`)).data);
  return pages;
}

async function readRemains() {
  const found = [];
  for (let after = ''; after !== null;) {
    const { data, metadata } = await service(`/remains?limit=100${after && `&after=${after}`}`);
    found.push(...data.remains);
    after = metadata.pagination.next;
  }
  return found;
}

/**
 * What the ledger says of some addresses up to a block: movements by key, outputs that are left, which movement took each of the others,
 * and when each transaction was.
 */
async function readLedger(addresses, height) {
  const histories = await mapAll(addresses, (address) => allOf(`/addresses/${address}/transactions`));
  const times = new Map();
  for (const { tx_hash: hash, block_height: at, block_time: time } of histories.flat())
    if (at <= height) times.set(hash, time);
  const transactions = await mapAll([...times.keys()], (hash) => ledger(`/txs/${hash}/utxos`));
  const [movements, made, spent] = [new Map(), new Map(), new Map()];
  const own = new Set(addresses);
  const move = (hash, direction, { address, amount }) => {
    const key = `${hash} ${direction} ${address}`;
    movements.set(key, (movements.get(key) ?? new Sums()).addAll(amount));
    return key;
  };
  for (const { hash, inputs, outputs } of transactions) {
    for (const input of inputs.filter((one) => own.has(one.address) && !one.collateral && !one.reference))
      spent.set(`${input.tx_hash}#${input.output_index}`, move(hash, 'out', input));
    for (const output of outputs.filter((one) => own.has(one.address) && !one.collateral)) {
      move(hash, 'in', output);
      made.set(`${hash}#${output.output_index}`, new Sums().addAll(output.amount));
    }
  }
  for (const ref of spent.keys()) made.delete(ref);
  return { movements, unspent: made, spent, times };
}

/** Differences within the statement itself: each page opens with what the one before closed with, and adds up. */
function checkPages(pages) {
  const differences = [];
  const sums = new Sums();
  for (const [position, { opening, movements, closing }] of pages.entries()) {
    if (!isBalance(opening, sums))
      differences.push(`page ${position + 1} opens with ${balanceOf(opening)} instead of ${sums}`);
    for (const movement of movements) sums.addAll(amountsOf(movement), movement.direction === 'in' ? 1n : -1n);
    if (!isBalance(closing, sums))
      differences.push(`page ${position + 1} closes with ${balanceOf(closing)} instead of ${sums}`);
  }
  return differences;
}

/** Whether a balance is the sums, without as many units as it says that it leaves out. */
function isBalance(balance, sums) {
  const listed = balanceOf(balance);
  const present = [...sums].filter(([unit]) => listed.has(unit));
  return String(listed) === String(new Sums(present)) && sums.size - present.length === (balance.unlistedUnits ?? 0);
}

/** Compares two maps by key; `isUnnoticed` says which of those that only the ledger has are no difference yet. */
function compare(what, said, found, isUnnoticed) {
  const differences = [];
  for (const [key, amounts] of said) {
    const actual = found.get(key);
    if (actual === undefined) differences.push(`${what} ${key}: the service says ${amounts}, the ledger nothing`);
    else if (String(actual) !== String(amounts))
      differences.push(`${what} ${key}: the service says ${amounts}, the ledger ${actual}`);
  }
  for (const [key, amounts] of found) {
    if (said.has(key)) continue;
    if (isUnnoticed(key)) console.log(`not listed yet: ${what} ${key}: ${amounts}`);
    else differences.push(`${what} ${key}: the service says nothing, the ledger ${amounts}`);
  }
  return differences;
}

async function audit() {
  const { pages, remains, asOf } = await readBooks();
  if (asOf === null) throw new AuditError('the service has not followed the ledger yet');
  const { contractAddress, settlesBy } = (await service('')).data;
  const block = await ledger(`/blocks/${asOf.blockHeight}`);
  if (block === undefined)
    throw new AuditError(`${options.ledger} has no block ${asOf.blockHeight}: does --ledger end with /api/v0?`);
  if (block.hash !== asOf.blockHash)
    throw new AuditError(`block ${asOf.blockHeight} of the ledger is not the one that the service has followed`);

  const movements = pages.flatMap((page) => page.movements);
  const named = [...pages.flatMap((page) => page.addresses), ...movements];
  const places = new Map([[contractAddress, 'custody'], ...named.map(({ address, place }) => [address, place])]);
  const addresses = [...places.keys()];
  const found = await readLedger(addresses, asOf.blockHeight);
  const isYoung = (key) => found.times.get(key.slice(0, 64)) > block.time - LISTED_WITHIN_SECONDS;
  // Everything else needs a key of the vault, and the service lists it at once.
  const mayBeOthers = (hash, direction, place) =>
    direction === 'in' ||
    place === 'stake' ||
    (place === 'deposit' && found.times.get(hash) * 1000 >= Date.parse(settlesBy));
  const isUnnoticed = (movement) => {
    const [hash, direction, address] = movement.split(' ');
    return isYoung(hash) && mayBeOthers(hash, direction, places.get(address));
  };

  const said = new Map();
  for (const movement of movements) {
    const key = `${movement.transactionHash} ${movement.direction} ${movement.address}`;
    said.set(key, (said.get(key) ?? new Sums()).addAll(amountsOf(movement)));
  }
  const left = new Map(remains.map((one) => [`${one.transactionHash}#${one.index}`, balanceOf(one)]));
  for (const ref of [...left.keys()]) {
    const taken = found.spent.get(ref);
    if (taken !== undefined && !said.has(taken) && isUnnoticed(taken)) left.delete(ref);
  }
  const differences = [
    ...checkPages(pages),
    ...compare('movement', said, found.movements, isUnnoticed),
    ...compare('output', left, found.unspent, isYoung),
  ];
  console.log(`vault ${options.vault}, block ${asOf.blockHeight}, ${addresses.length} addresses`);
  console.log(`${movements.length} movements, closing with ${balanceOf(pages.at(-1).closing)}`);
  for (const difference of differences) console.log(difference);
  console.log(`${differences.length} differences`);
  if (differences.length > 0) process.exitCode = 1;
}

try {
  await audit();
} catch (error) {
  console.error(error instanceof AuditError ? error.message : error);
  process.exitCode = 2;
}
