#!/usr/bin/env node
/**
 * Takes a deposit or a stake back with its owner's key alone, from the date on that its script names, without the service: all that is
 * needed is this file, the script that the service published, and a ledger API like Blockfrost's. See docs/leaving.md.
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import * as csl from '@emurgo/cardano-serialization-lib-nodejs';
import { mnemonicToEntropy } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';

const usage = `Usage:
  leave.mjs show   --script FILE --ledger URL
      Prints the address of the script, what it holds, and from when on each key can spend it alone.
  leave.mjs take   --script FILE --ledger URL --owner ADDRESS [--mnemonic FILE]
      Returns everything at the address to the owner. With the words of the owner's wallet it signs and submits;
      without them it prints the unsigned transactions.
  leave.mjs submit --ledger URL --transaction FILE --witness FILE
      Adds the witness set that a wallet made for an unsigned transaction, and submits it.

FILE of --script holds the script in hex (CBOR), or the JSON object \`ownerScript\` as the service publishes it.
For hosted ledger APIs, the variable LEDGER_PROJECT_ID holds the project id.`;

const MAINNET_MAGIC = 764824073;
/** How long a transaction may take to land. */
const LIFETIME_SECONDS = 2 * 3600;
/** Outputs that one transaction returns at most; fewer if they do not fit. */
const MAX_OUTPUTS = 40;

/** A failure that the user can mend: its text is printed without a stack. */
class LeaveError extends Error {}

const { positionals, values: options } = parseArgs({
  allowPositionals: true,
  options: Object.fromEntries(
    ['script', 'ledger', 'owner', 'mnemonic', 'transaction', 'witness'].map((name) => [name, { type: 'string' }]),
  ),
});

function required(name) {
  const value = options[name];
  if (value === undefined) throw new LeaveError(`--${name} is missing\n\n${usage}`);
  return value;
}

/** The body of a successful response; undefined for 404. */
async function ledger(path, init) {
  const projectId = process.env.LEDGER_PROJECT_ID;
  const response = await fetch(`${required('ledger').replace(/\/$/, '')}${path}`, {
    ...init,
    headers: { ...init?.headers, ...(projectId && { project_id: projectId }) },
    signal: AbortSignal.timeout(30_000),
  });
  const text = await response.text();
  if (response.status === 404) return undefined;
  if (!response.ok) throw new LeaveError(`the ledger answered ${response.status} to ${path}: ${text}`);
  return text.startsWith('{') || text.startsWith('[') || text.startsWith('"') ? JSON.parse(text) : text;
}

async function readScript() {
  const text = (await readFile(required('script'), 'utf8')).trim();
  const hex = text.startsWith('{') ? JSON.parse(text).cbor : text;
  if (!/^([0-9a-f]{2})+$/i.test(hex ?? '')) throw new LeaveError('the file of --script holds no script in hex');
  return csl.NativeScript.from_hex(hex);
}

/** The first slot in which a key alone satisfies a script; Infinity if it never does. Scripts that end are not considered. */
function firstSlotFor(keyHash, script) {
  const [[kind, body]] = Object.entries(script);
  const inner = () =>
    body.native_scripts.map((each) => firstSlotFor(keyHash, each)).toSorted((one, other) => one - other);
  if (kind === 'ScriptPubkey') return body.addr_keyhash === keyHash ? 0 : Infinity;
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

const readJson = (script) => JSON.parse(script.to_json());

/** What the ledger says of itself: the network, its parameters, and how slots and times belong together now. */
async function readNetwork() {
  const [genesis, parameters, tip] = await Promise.all(
    ['/genesis', '/epochs/latest/parameters', '/blocks/latest'].map((path) => ledger(path)),
  );
  if (!genesis || !parameters || !tip) throw new LeaveError('the ledger does not know its own state');
  return {
    networkId: genesis.network_magic === MAINNET_MAGIC ? 1 : 0,
    slotSeconds: genesis.slot_length,
    parameters,
    tip,
  };
}

const timeOfSlot = (slot, { tip, slotSeconds }) =>
  new Date((tip.time + (slot - tip.slot) * slotSeconds) * 1000).toISOString();

function addressOf(script, networkId) {
  return csl.EnterpriseAddress.new(networkId, csl.Credential.from_scripthash(script.hash())).to_address().to_bech32();
}

/** The outputs at an address, as {utxo, value}. */
async function readHeld(address) {
  const held = [];
  for (let page = 1; ; page += 1) {
    const found = (await ledger(`/addresses/${address}/utxos?count=100&page=${page}`)) ?? [];
    held.push(...found.map((utxo) => ({ utxo, value: valueOf(utxo.amount) })));
    if (found.length < 100) return held;
  }
}

function valueOf(amount) {
  const assets = csl.MultiAsset.new();
  let coin = '0';
  for (const { unit, quantity } of amount) {
    if (unit === 'lovelace') coin = quantity;
    else
      assets.set_asset(
        csl.ScriptHash.from_hex(unit.slice(0, 56)),
        csl.AssetName.new(Buffer.from(unit.slice(56), 'hex')),
        csl.BigNum.from_str(quantity),
      );
  }
  const lovelace = csl.BigNum.from_str(coin);
  return assets.len() === 0 ? csl.Value.new(lovelace) : csl.Value.new_with_assets(lovelace, assets);
}

/** A witness of one key: 32 and 64 bytes in an array, in a tagged set under a key of the map. */
const WITNESS_BYTES = 110;

/** An unsigned transaction that returns each of `held` to the owner, less an equal share of `fee`. */
function draft(held, fee, { script, owner, keyHash, fromSlot, ttlSlot }) {
  const inputs = csl.TransactionInputs.new();
  const outputs = csl.TransactionOutputs.new();
  // The shares are rounded up; the first output gets back what that is too much.
  const share = (fee + BigInt(held.length) - 1n) / BigInt(held.length);
  for (const [position, { utxo, value }] of held.entries()) {
    inputs.add(csl.TransactionInput.new(csl.TransactionHash.from_hex(utxo.tx_hash), utxo.output_index));
    const paid = position === 0 ? fee - share * BigInt(held.length - 1) : share;
    const returned = csl.Value.from_bytes(value.to_bytes());
    returned.set_coin(csl.BigNum.from_str(String(BigInt(value.coin().to_str()) - paid)));
    outputs.add(csl.TransactionOutput.new(csl.Address.from_bech32(owner), returned));
  }
  const body = csl.TransactionBody.new_tx_body(inputs, outputs, csl.BigNum.from_str(String(fee)));
  body.set_validity_start_interval_bignum(csl.BigNum.from_str(String(fromSlot)));
  body.set_ttl(csl.BigNum.from_str(String(ttlSlot)));
  // Wallets sign for keys that a transaction names; the address of a script tells them nothing.
  const signers = csl.Ed25519KeyHashes.new();
  signers.add(csl.Ed25519KeyHash.from_hex(keyHash));
  body.set_required_signers(signers);
  const scripts = csl.NativeScripts.new();
  scripts.add(script);
  const witnesses = csl.TransactionWitnessSet.new();
  witnesses.set_native_scripts(scripts);
  return csl.Transaction.new(body, witnesses);
}

/** The signed size of a transaction that returns `held`, and its fee. */
function costOf(held, terms) {
  const bytes = draft(held, 200_000n, terms).to_bytes().length + WITNESS_BYTES;
  const { min_fee_a: perByte, min_fee_b: base } = terms.parameters;
  return { bytes, fee: BigInt(perByte) * BigInt(bytes) + BigInt(base) };
}

/** Whether every output of a transaction holds its min-ADA. */
function isPayable(transaction, { parameters }) {
  const cost = csl.DataCost.new_coins_per_byte(csl.BigNum.from_str(String(parameters.coins_per_utxo_size)));
  const outputs = transaction.body().outputs();
  return Array.from({ length: outputs.len() }, (_, index) => outputs.get(index)).every(
    (output) => output.amount().coin().compare(csl.min_ada_for_output(output, cost)) >= 0,
  );
}

/** Whether an output can pay its return alone. A stranger's reference script costs a fee that the ledger does not name. */
function paysItsReturn(held, terms) {
  if (held.utxo.reference_script_hash || BigInt(held.value.coin().to_str()) < 500_000n) return false;
  return isPayable(draft([held], costOf([held], terms).fee, terms), terms);
}

/** Unsigned transactions that return all of `held`, as many outputs in each as fit and can pay an equal share. */
function build(held, terms) {
  const transactions = [];
  const drafted = (taken) => draft(taken, costOf(taken, terms).fee, terms);
  const isValid = (taken) =>
    costOf(taken, terms).bytes <= terms.parameters.max_tx_size && isPayable(drafted(taken), terms);
  for (let open = held; open.length > 0;) {
    let count = Math.min(open.length, MAX_OUTPUTS);
    while (count > 1 && !isValid(open.slice(0, count))) count = Math.ceil(count / 2);
    transactions.push(drafted(open.slice(0, count)));
    open = open.slice(count);
  }
  return transactions;
}

/** The owner's secret key among the addresses that wallets derive (CIP-1852): ten accounts, a hundred addresses and change each. */
async function findKey(file, keyHash) {
  const words = (await readFile(file, 'utf8')).trim().split(/\s+/).join(' ');
  const entropy = mnemonicToEntropy(words, wordlist);
  const hard = (index) => index + 0x8000_0000;
  const root = csl.Bip32PrivateKey.from_bip39_entropy(entropy, new Uint8Array()).derive(hard(1852)).derive(hard(1815));
  for (let account = 0; account < 10; account += 1)
    for (const role of [0, 1]) {
      const chain = root.derive(hard(account)).derive(role);
      for (let index = 0; index < 100; index += 1) {
        const key = chain.derive(index).to_raw_key();
        if (key.to_public().hash().to_hex() === keyHash) return key;
      }
    }
  throw new LeaveError('the words of --mnemonic derive no key of --owner; are they of the same wallet?');
}

async function submit(cbor) {
  const hash = await ledger('/tx/submit', {
    method: 'POST',
    headers: { 'content-type': 'application/cbor' },
    body: cbor,
  });
  if (hash === undefined) throw new LeaveError('the ledger takes no transactions at /tx/submit');
  console.log(`submitted ${hash}`);
}

async function show() {
  const script = await readScript();
  const network = await readNetwork();
  const address = addressOf(script, network.networkId);
  console.log(`address ${address}`);
  for (const keyHash of new Set(keysIn(readJson(script)))) {
    const slot = firstSlotFor(keyHash, readJson(script));
    const from = slot === 0 ? 'at any time' : `from ${timeOfSlot(slot, network)} on (slot ${slot})`;
    console.log(`key ${keyHash} alone: ${slot === Infinity ? 'never' : from}`);
  }
  for (const { utxo } of await readHeld(address))
    console.log(
      `${utxo.tx_hash}#${utxo.output_index} ${utxo.amount.map(({ unit, quantity }) => `${quantity} ${unit}`).join(', ')}`,
    );
}

/** The terms under which the owner takes everything back alone. */
async function termsOf(script, network) {
  const owner = required('owner');
  const keyHash = csl.Address.from_bech32(owner).payment_cred()?.to_keyhash()?.to_hex();
  const fromSlot = keyHash === undefined ? Infinity : firstSlotFor(keyHash, readJson(script));
  if (fromSlot === Infinity) throw new LeaveError('the key of --owner can never spend from this script alone');
  if (fromSlot > network.tip.slot)
    throw new LeaveError(`the owner can take this back from ${timeOfSlot(fromSlot, network)} on, not before`);
  const ttlSlot = network.tip.slot + Math.ceil(LIFETIME_SECONDS / network.slotSeconds);
  return { script, owner, keyHash, fromSlot, ttlSlot, parameters: network.parameters };
}

async function take() {
  const script = await readScript();
  const network = await readNetwork();
  const terms = await termsOf(script, network);
  const held = await readHeld(addressOf(script, network.networkId));
  const paying = held.filter((each) => paysItsReturn(each, terms));
  for (const { utxo } of held.filter((each) => !paying.includes(each)))
    console.log(`left ${utxo.tx_hash}#${utxo.output_index}: it cannot pay for its own return`);
  if (paying.length === 0) throw new LeaveError('there is nothing to take back at the address of this script');
  const transactions = build(paying, terms);
  const key = options.mnemonic === undefined ? undefined : await findKey(options.mnemonic, terms.keyHash);
  const refused = [];
  for (const unsigned of transactions) {
    const transaction = csl.FixedTransaction.from_bytes(unsigned.to_bytes());
    const hash = transaction.transaction_hash();
    if (key === undefined) {
      console.log(`unsigned ${hash.to_hex()} ${transaction.to_hex()}`);
      continue;
    }
    transaction.add_vkey_witness(csl.make_vkey_witness(hash, key));
    // A refused transaction does not keep the others from being sent.
    await submit(transaction.to_bytes()).catch((error) => refused.push(`${hash.to_hex()}: ${error.message}`));
  }
  if (refused.length > 0) throw new LeaveError(refused.join('\n'));
}

async function addWitness() {
  const read = async (name) => (await readFile(required(name), 'utf8')).trim();
  const transaction = csl.FixedTransaction.from_hex(await read('transaction'));
  const vkeys = csl.TransactionWitnessSet.from_hex(await read('witness')).vkeys();
  if (!vkeys?.len()) throw new LeaveError('the witness set holds no signature');
  for (let index = 0; index < vkeys.len(); index += 1) transaction.add_vkey_witness(vkeys.get(index));
  await submit(transaction.to_bytes());
}

const showUsage = () => console.log(usage);
const commands = { show, take, submit: addWitness };

try {
  await (commands[positionals[0]] ?? showUsage)();
} catch (error) {
  // The serialization library throws strings.
  console.error(error instanceof LeaveError ? error.message : error);
  process.exitCode = 1;
}
