#!/usr/bin/env node
/**
 * Takes a deposit, a stake or the custody of a vault from the address of its script, without the service, with the keys that the script
 * names and from the date on that it names: all that is needed is this file, the script that the service published, and a ledger API
 * like Blockfrost's. See docs/guides/leaving.md.
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';

const usage = `Usage:
  leave.mjs show   --script FILE --ledger URL [--signer ADDRESS]...
      Prints the address of the script, what it holds, and from when on each key alone, or the signers together, can spend it.
  leave.mjs take   --script FILE --ledger URL --owner ADDRESS [--signer ADDRESS]... [--mnemonic FILE]
      Sends everything at the address to the owner, who signs; if --signer names others, they sign instead. With the words of
      their wallet it signs and submits; without them it prints the unsigned transactions.
  leave.mjs submit --ledger URL --transaction FILE --witness FILE...
      Adds the witness sets that wallets made for an unsigned transaction, and submits it.

FILE of --script holds the script in hex (CBOR), or the JSON object as the service publishes it: \`ownerScript\` of a deposit or
a stake, \`custodyScript\` of a vault. FILE of --transaction holds the third word of the line \`unsigned\`, FILE of --witness the
witness set in hex. For hosted ledger APIs, the variable LEDGER_PROJECT_ID holds the project id.`;

const MAINNET_MAGIC = 764824073;
/** How long a transaction may take to be signed and to land. */
const LIFETIME_SECONDS = 24 * 3600;
/** Outputs that one transaction spends at most; fewer if they do not fit. */
const MAX_OUTPUTS = 40;
/** No transaction of the public networks costs half as much. A ledger that asks for more is not to be trusted. */
const MAX_FEE = 2_000_000n;

/** A failure that the user can mend: its text is printed without a stack. */
class LeaveError extends Error {}

const { positionals, values: options } = readParameters();
const { csl, mnemonicToEntropy, wordlist } = await loadPackages();

function readParameters() {
  const [text, list] = [false, true].map((multiple) => ({ type: 'string', multiple }));
  const files = { script: text, mnemonic: text, transaction: text, witness: list };
  try {
    return parseArgs({ allowPositionals: true, options: { ...files, ledger: text, owner: text, signer: list } });
  } catch (error) {
    return stop(`${error.message}\n\n${usage}`);
  }
}

async function loadPackages() {
  try {
    const csl = await import('@emurgo/cardano-serialization-lib-nodejs');
    const [{ mnemonicToEntropy }, { wordlist }] = [
      await import('@scure/bip39'),
      await import('@scure/bip39/wordlists/english.js'),
    ];
    return { csl, mnemonicToEntropy, wordlist };
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const packages = '@emurgo/cardano-serialization-lib-nodejs@15.0.3 @scure/bip39@2.4.0';
    return stop(`this file needs two packages beside it:\n  npm install ${packages}`);
  }
}

function stop(text) {
  console.error(text);
  process.exit(1);
}

function required(name) {
  const value = options[name];
  if (value === undefined) throw new LeaveError(`--${name} is missing\n\n${usage}`);
  return value;
}

/** The body of a successful response; undefined for 404. */
async function ledger(path, init) {
  const projectId = process.env.LEDGER_PROJECT_ID;
  const headers = { ...init?.headers, ...(projectId && { project_id: projectId }) };
  const url = `${required('ledger').replace(/\/$/, '')}${path}`;
  const response = await fetch(url, { ...init, headers, signal: AbortSignal.timeout(30_000) }).catch((error) => {
    throw new LeaveError(`${url} gives no answer: ${error.cause?.code ?? error.cause?.message ?? error.message}`);
  });
  const text = await response.text();
  if (response.status === 404) return undefined;
  if (!response.ok) throw new LeaveError(`the ledger answered ${response.status} to ${path}: ${text}`);
  return text.startsWith('{') || text.startsWith('[') || text.startsWith('"') ? JSON.parse(text) : text;
}

/** The text of the file that an option names. */
async function readText(option, file) {
  const text = await readFile(file, 'utf8').catch((error) => {
    throw new LeaveError(`--${option} ${file}: the file cannot be read (${error.code})`);
  });
  return text.trim();
}

/** What `parse` makes of the file that an option names; `what` says what it must hold. */
async function readAs(option, file, what, parse) {
  const text = await readText(option, file);
  try {
    return parse(text);
  } catch {
    throw new LeaveError(`--${option} ${file}: the file must hold ${what}, and nothing else`);
  }
}

/** The script with its address on this network. Both are compared with what the file says of them. */
async function readScript({ networkId }) {
  const what = '`ownerScript` or `custodyScript` of a response, or its `cbor`';
  const { script, named } = await readAs('script', required('script'), what, (text) => {
    const { cbor, address } = text.startsWith('{') ? JSON.parse(text) : { cbor: text };
    return { script: csl.NativeScript.from_hex(cbor), named: address };
  });
  const credential = csl.Credential.from_scripthash(script.hash());
  const address = csl.EnterpriseAddress.new(networkId, credential).to_address().to_bech32();
  if (named !== undefined && named !== address)
    throw new LeaveError(`the file names the address ${named}, but here its script has the address ${address}`);
  return { script, address, json: JSON.parse(script.to_json()) };
}

/** The first slot in which keys together satisfy a script; Infinity if they never do. Scripts that end are not considered. */
function firstSlotFor(keyHashes, script) {
  const [[kind, body]] = Object.entries(script);
  const inner = () =>
    body.native_scripts.map((each) => firstSlotFor(keyHashes, each)).toSorted((one, other) => one - other);
  if (kind === 'ScriptPubkey') return keyHashes.includes(body.addr_keyhash) ? 0 : Infinity;
  if (kind === 'ScriptAll') return Math.max(0, ...inner());
  if (kind === 'ScriptAny') return Math.min(...inner());
  if (kind === 'ScriptNOfK') return body.n === 0 ? 0 : (inner()[body.n - 1] ?? Infinity);
  return kind === 'TimelockStart' ? Number(body.slot) : Infinity;
}

/** Every key that a script names. */
function keysIn(script) {
  const [[kind, body]] = Object.entries(script);
  return kind === 'ScriptPubkey' ? [body.addr_keyhash] : (body.native_scripts ?? []).flatMap(keysIn);
}

/** The key hashes of those that sign: of --signer, or else of --owner. */
function signers() {
  return (options.signer ?? [required('owner')]).map((address) => {
    const keyHash = csl.Address.from_bech32(address).payment_cred()?.to_keyhash()?.to_hex();
    if (keyHash === undefined) throw new LeaveError(`no key can sign for ${address}`);
    return keyHash;
  });
}

/** What the ledger says of itself: the network, its parameters, and how slots and times belong together now. */
async function readNetwork() {
  const [genesis, parameters, tip] = await Promise.all(
    ['/genesis', '/epochs/latest/parameters', '/blocks/latest'].map((path) => ledger(path)),
  );
  if (!genesis || !parameters || !tip)
    throw new LeaveError(`${options.ledger} answered 404 for its own state: does --ledger end with /api/v0?`);
  const networkId = genesis.network_magic === MAINNET_MAGIC ? 1 : 0;
  return { networkId, slotSeconds: genesis.slot_length, parameters, tip };
}

const timeOfSlot = (slot, { tip, slotSeconds }) =>
  new Date((tip.time + (slot - tip.slot) * slotSeconds) * 1000).toISOString();

async function readUtxos(address) {
  const utxos = [];
  for (let page = 1; ; page += 1) {
    const found = (await ledger(`/addresses/${address}/utxos?count=100&page=${page}`)) ?? [];
    utxos.push(...found);
    if (found.length < 100) return utxos;
  }
}

/** What outputs hold together, by unit. */
function totalOf(utxos) {
  const total = {};
  for (const { unit, quantity } of utxos.flatMap(({ amount }) => amount))
    total[unit] = (total[unit] ?? 0n) + BigInt(quantity);
  return total;
}

/** Quantities by unit in the JSON form of the serialization library. */
function jsonValue({ lovelace, ...assets }) {
  const multiasset = {};
  for (const [unit, quantity] of Object.entries(assets))
    (multiasset[unit.slice(0, 56)] ??= {})[unit.slice(56)] = String(quantity);
  return { coin: String(lovelace), multiasset: Object.keys(multiasset).length === 0 ? null : multiasset };
}

const valueSize = (total) => csl.Value.from_json(JSON.stringify(jsonValue(total))).to_bytes().length;

/** An unsigned transaction that sends all that `utxos` hold, less `fee`, to the owner in one output. */
function draft(utxos, fee, { script, owner, keyHashes, fromSlot, ttlSlot }) {
  const total = totalOf(utxos);
  const lovelace = total.lovelace > fee ? total.lovelace - fee : 0n;
  const body = {
    inputs: utxos.map(({ tx_hash, output_index }) => ({ transaction_id: tx_hash, index: output_index })),
    outputs: [{ address: owner, amount: jsonValue({ ...total, lovelace }) }],
    fee: String(fee),
    validity_start_interval: String(fromSlot),
    ttl: String(ttlSlot),
    // Wallets sign for keys that a transaction names; the address of a script tells them nothing.
    required_signers: keyHashes,
  };
  const scripts = csl.NativeScripts.new();
  scripts.add(script);
  const witnesses = csl.TransactionWitnessSet.new();
  witnesses.set_native_scripts(scripts);
  return csl.Transaction.new(csl.TransactionBody.from_json(JSON.stringify(body)), witnesses);
}

/** The signed size of such a transaction, and its fee. Only the keys that sign are counted, not all that the script names. */
function costOf(utxos, terms) {
  // Every fee is larger, and takes as many bytes. A witness is 32 and 64 bytes in an array.
  const bytes = draft(utxos, 70_000n, terms).to_bytes().length + 10 + 101 * terms.keyHashes.length;
  const { min_fee_a: perByte, min_fee_b: base } = terms.parameters;
  return { bytes, fee: BigInt(perByte) * BigInt(bytes) + BigInt(base) };
}

/** Whether one output can hold all of it, and one transaction spend it. */
function fits(utxos, terms) {
  const { max_tx_size: maxBytes, max_val_size: maxValueBytes } = terms.parameters;
  const total = totalOf(utxos);
  if (Object.values(total).some((quantity) => quantity >= 2n ** 63n)) return false;
  return valueSize(total) <= Number(maxValueBytes) && costOf(utxos, terms).bytes <= maxBytes;
}

/** Whether a transaction leaves its output the min-ADA. */
function isPayable(transaction, { parameters }) {
  const output = transaction.body().outputs().get(0);
  const cost = csl.DataCost.new_coins_per_byte(csl.BigNum.from_str(String(parameters.coins_per_utxo_size)));
  return output.amount().coin().compare(csl.min_ada_for_output(output, cost)) >= 0;
}

/** Unsigned transactions that send all of it, as many outputs in each as fit, and those outputs that cannot pay for their way. */
function build(utxos, terms) {
  // A stranger's reference script costs a fee that the ledger does not name.
  const built = { transactions: [], left: utxos.filter((utxo) => utxo.reference_script_hash) };
  const size = (utxo) => valueSize(totalOf([utxo]));
  // Outputs of strangers that are too large to go with others come last.
  let open = utxos.filter((utxo) => !built.left.includes(utxo)).toSorted((one, other) => size(one) - size(other));
  while (open.length > 0) {
    let count = Math.ceil(open.length / Math.ceil(open.length / MAX_OUTPUTS));
    while (count > 1 && !fits(open.slice(0, count), terms)) count = Math.ceil(count / 2);
    const taken = open.slice(0, count);
    open = open.slice(count);
    const { fee } = costOf(taken, terms);
    if (fee > MAX_FEE) throw new LeaveError(`the ledger asks a fee of ${fee} lovelace, which no transaction costs`);
    const transaction = draft(taken, fee, terms);
    if (isPayable(transaction, terms)) built.transactions.push(transaction);
    else built.left.push(...taken);
  }
  return built;
}

/** Secret keys among the addresses that wallets derive (CIP-1852): ten accounts, a hundred addresses and change each. */
async function findKeys(file, keyHashes) {
  const entropy = await readAs('mnemonic', file, 'the words of a wallet', (words) =>
    mnemonicToEntropy(words.split(/\s+/).join(' '), wordlist),
  );
  const hard = (index) => index + 0x8000_0000;
  const root = csl.Bip32PrivateKey.from_bip39_entropy(entropy, new Uint8Array()).derive(hard(1852)).derive(hard(1815));
  return keyHashes.map((keyHash) => {
    for (let chain = 0; chain < 20; chain += 1) {
      const parent = root.derive(hard(Math.floor(chain / 2))).derive(chain % 2);
      for (let index = 0; index < 100; index += 1) {
        const key = parent.derive(index).to_raw_key();
        if (key.to_public().hash().to_hex() === keyHash) return key;
      }
    }
    throw new LeaveError(`the words of --mnemonic derive no key ${keyHash}; are they of the wallet that has to sign?`);
  });
}

async function submit(body) {
  const hash = await ledger('/tx/submit', { method: 'POST', headers: { 'content-type': 'application/cbor' }, body });
  if (hash === undefined) throw new LeaveError('the ledger takes no transactions at /tx/submit');
  console.log(`submitted ${hash}`);
}

async function show() {
  const network = await readNetwork();
  const { address, json } = await readScript(network);
  console.log(`address ${address}`);
  const showFirstSlot = (who, keyHashes) => {
    const slot = firstSlotFor(keyHashes, json);
    const dated = () => `from ${timeOfSlot(slot, network)} on (slot ${slot})`;
    console.log(`${who}: ${slot === Infinity ? 'never' : slot === 0 ? 'at any time' : dated()}`);
  };
  for (const keyHash of new Set(keysIn(json))) showFirstSlot(`key ${keyHash} alone`, [keyHash]);
  if (options.signer) showFirstSlot('the signers together', signers());
  for (const { tx_hash: hash, output_index: index, amount } of await readUtxos(address))
    console.log(`${hash}#${index} ${amount.map(({ unit, quantity }) => `${quantity} ${unit}`).join(', ')}`);
}

/** The terms under which the signers take everything. */
function termsOf({ script, json }, network) {
  const keyHashes = [...new Set(signers())];
  const fromSlot = firstSlotFor(keyHashes, json);
  if (fromSlot === Infinity) throw new LeaveError('those who sign can never spend from this script without others');
  if (fromSlot > network.tip.slot)
    throw new LeaveError(`those who sign can take this from ${timeOfSlot(fromSlot, network)} on, not before`);
  const ttlSlot = network.tip.slot + Math.ceil(LIFETIME_SECONDS / network.slotSeconds);
  return { script, owner: required('owner'), keyHashes, fromSlot, ttlSlot, parameters: network.parameters };
}

async function take() {
  const network = await readNetwork();
  const read = await readScript(network);
  const terms = termsOf(read, network);
  const { transactions, left } = build(await readUtxos(read.address), terms);
  for (const { tx_hash: hash, output_index: index } of left)
    console.log(`left ${hash}#${index}: it cannot pay for its own way`);
  if (transactions.length === 0) throw new LeaveError('there is nothing to take at the address of this script');
  const keys = options.mnemonic === undefined ? undefined : await findKeys(options.mnemonic, terms.keyHashes);
  const refused = [];
  for (const unsigned of transactions) {
    const transaction = csl.FixedTransaction.from_bytes(unsigned.to_bytes());
    const hash = transaction.transaction_hash();
    if (keys === undefined) {
      console.log(`unsigned ${hash.to_hex()} ${transaction.to_hex()}`);
      continue;
    }
    for (const key of keys) transaction.add_vkey_witness(csl.make_vkey_witness(hash, key));
    // A refused transaction does not keep the others from being sent.
    await submit(transaction.to_bytes()).catch((error) => refused.push(`${hash.to_hex()}: ${error.message}`));
  }
  if (refused.length > 0) throw new LeaveError(refused.join('\n'));
}

function itemsOf(list) {
  return Array.from({ length: list?.len() ?? 0 }, (_, index) => list.get(index));
}

async function addWitnesses() {
  const what = 'a transaction in hex, the third word of the line `unsigned`';
  const transaction = await readAs('transaction', required('transaction'), what, csl.FixedTransaction.from_hex);
  // The fee pays for these signatures only. A wallet may also sign with other keys, such as its stake key.
  const needed = itemsOf(transaction.body().required_signers()).map((keyHash) => keyHash.to_hex());
  for (const file of required('witness')) {
    const set = await readAs('witness', file, 'a witness set in hex', csl.TransactionWitnessSet.from_hex);
    const witnesses = itemsOf(set.vkeys()).filter((one) => needed.includes(one.vkey().public_key().hash().to_hex()));
    if (witnesses.length === 0) throw new LeaveError(`the witness set in ${file} holds no signature that is needed`);
    for (const witness of witnesses) transaction.add_vkey_witness(witness);
  }
  await submit(transaction.to_bytes());
}

const commands = { show, take, submit: addWitnesses };

try {
  await (commands[positionals[0]] ?? (() => console.log(usage)))();
} catch (error) {
  // The serialization library throws strings.
  console.error(error instanceof LeaveError ? error.message : error);
  process.exitCode = 1;
}
